#include "phasor/random/philox.h"

#include <gtest/gtest.h>

namespace phasor {
namespace philox_test {

// Known answers of Random123 1.14 (kat_vectors, philox4x32 with 10 rounds).
struct KnownAnswer {
  const char* name;
  PhiloxBlock counter;
  PhiloxKey key;
  PhiloxBlock words;
};

constexpr KnownAnswer kKnownAnswers[] = {
    {"Zeros", {0, 0, 0, 0}, {0, 0}, {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
    {"Ones",
     {0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu},
     {0xffffffffu, 0xffffffffu},
     {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
    {"DigitsOfPi",
     {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u},
     {0xa4093822u, 0x299f31d0u},
     {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}},
};

static_assert(philox4x32({0, 0, 0, 0}, {0, 0})[0] == 0x6627e8d5u, "a compiler can draw too");

class PhiloxKnownAnswer : public testing::TestWithParam<KnownAnswer> {};

TEST_P(PhiloxKnownAnswer, IsReproduced) { EXPECT_EQ(philox4x32(GetParam().counter, GetParam().key), GetParam().words); }

INSTANTIATE_TEST_SUITE_P(Random123, PhiloxKnownAnswer, testing::ValuesIn(kKnownAnswers),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace philox_test
}  // namespace phasor
