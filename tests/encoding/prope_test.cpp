#include <gtest/gtest.h>

#include <cmath>

#include "encoding/rotation_probe.h"

namespace phasor {
namespace prope_test {

using namespace phasor::testing_support;

TEST(Prope, NoneIsNope) {
  EXPECT_EQ(print(parse_encoding("prope(0)")), "nope");
  EXPECT_EQ(print(parse_encoding("alibi+prope(p=0,base=5)")), "alibi");
  EXPECT_TRUE(traits_of("prope(0)").neutral);
}

TEST(Prope, AllIsRopeBitForBit) {
  for (const char* more : {"", ",base=500", ",layout=half"}) {
    const std::string rope = *more == '\0' ? "rope" : std::string("rope(") + (more + 1) + ")";
    const auto a = rotation(std::string("prope(1") + more + ")", 16, 100);
    const auto b = rotation(rope, 16, 100);
    EXPECT_EQ(a->frequencies, b->frequencies);
    EXPECT_EQ(a->query, b->query);
    EXPECT_EQ(a->key, b->key);
    EXPECT_EQ(a->halves, b->halves);
    EXPECT_EQ(a->pairs, b->pairs);
  }
}

// The fastest pairs keep the frequency and the channels that they have in rope; the others are left alone.
TEST(Prope, CutsTheSlowestPairsOff) {
  const Vector x = random_vector(16, 1);
  for (const std::string& layout : {std::string("interleaved"), std::string("half")}) {
    const auto part = rotation("prope(0.4,layout=" + layout + ")", 16, 30);  // 3.2 pairs
    const auto full = rotation("rope(layout=" + layout + ")", 16, 30);
    ASSERT_EQ(part->pairs, 8);
    for (int64_t c = 0; c < 8; ++c) EXPECT_EQ(part->frequencies(0, c), c < 3 ? full->frequencies(0, c) : 0.0) << c;
    const Vector y = turned(*part, part->query, {29}, x);
    const Vector z = turned(*full, full->query, {29}, x);
    for (size_t channel = 0; channel < 16; ++channel) {
      const size_t pair = layout == "half" ? channel % 8 : channel / 2;
      EXPECT_EQ(y[channel], pair < 3 ? z[channel] : x[channel]) << layout << ", channel " << channel;
    }
  }
}

TEST(Prope, LogitsAreUnchangedWhenBothPositionsShift) {
  const Vector q = random_vector(16, 2);
  const Vector k = random_vector(16, 3);
  const double size = std::sqrt(dot(q, q) * dot(k, k));
  const auto r = rotation("prope", 16, 1041);
  for (const auto& [i, j] : {std::pair<int64_t, int64_t>{3, 17}, {40, 0}}) {
    for (const int64_t base : {0, 1, 17, 1000}) {
      EXPECT_NEAR(logit(*r, q, k, {base + i}, {base + j}), logit(*r, q, k, {i}, {j}), 1e-12 * size) << base;
    }
  }
}

TEST(Prope, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] { rotation("prope(0.1)", 16, 4); }),
            "encoding 'prope(p=0.1)': column 1: p 0.1 of 16 channels is less than one pair; the least is 0.125");
  EXPECT_EQ(error_of([] { rotation("prope", 7, 4); }),
            "encoding 'prope': column 1: prope turns pairs of channels, so the head width must be even, not 7");
  EXPECT_EQ(parse_error("prope(1.5)"), "encoding 'prope(1.5)': column 7: prope: p must be from 0 to 1, not 1.5");
}

}  // namespace prope_test
}  // namespace phasor
