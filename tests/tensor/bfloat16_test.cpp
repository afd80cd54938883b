#include "phasor/tensor/bfloat16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace phasor {
namespace bfloat16_test {

float from_bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

uint16_t rounded(uint32_t bits) { return to_bfloat16(from_bits(bits)).bits; }

TEST(Bfloat16, EveryValueSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000u; ++bits) {
    const bfloat16 value{static_cast<uint16_t>(bits)};
    if (std::isnan(to_float(value))) continue;
    ASSERT_EQ(to_bfloat16(to_float(value)).bits, value.bits) << std::hex << bits;
  }
}

TEST(Bfloat16, RoundsToNearest) {
  EXPECT_EQ(rounded(0x3f807fffu), 0x3f80u);  // just below half
  EXPECT_EQ(rounded(0x3f808001u), 0x3f81u);  // just above half
  EXPECT_EQ(rounded(0xbf807fffu), 0xbf80u);
  EXPECT_EQ(rounded(0xbf808001u), 0xbf81u);
}

TEST(Bfloat16, TiesGoToEven) {
  EXPECT_EQ(rounded(0x3f808000u), 0x3f80u);
  EXPECT_EQ(rounded(0x3f818000u), 0x3f82u);
  EXPECT_EQ(rounded(0xbf808000u), 0xbf80u);
  EXPECT_EQ(rounded(0xbf818000u), 0xbf82u);
  EXPECT_EQ(rounded(0x3fff8000u), 0x4000u);  // the carry runs into the exponent
}

// Half a spacing of 2^-7: relative error at most 2^-8 in the normal range.
TEST(Bfloat16, ErrorIsAtMostHalfASpacing) {
  for (uint32_t bits = 0x00800000u; bits < 0x7f000000u; bits += 0x1234567u / 64) {
    const float value = from_bits(bits);
    const double error = std::abs(double{to_float(to_bfloat16(value))} - double{value});
    ASSERT_LE(error, 0x1.0p-8 * double{value}) << value;
  }
}

TEST(Bfloat16, LargestFloatsBecomeInfinity) {
  EXPECT_EQ(rounded(0x7f7f7fffu), 0x7f7fu);
  EXPECT_EQ(rounded(0x7f7f8000u), 0x7f80u);
  EXPECT_EQ(to_bfloat16(std::numeric_limits<float>::max()).bits, 0x7f80u);
  EXPECT_EQ(to_bfloat16(std::numeric_limits<float>::lowest()).bits, 0xff80u);
}

TEST(Bfloat16, InfinityAndSignedZeroStay) {
  EXPECT_EQ(to_bfloat16(std::numeric_limits<float>::infinity()).bits, 0x7f80u);
  EXPECT_EQ(to_bfloat16(-std::numeric_limits<float>::infinity()).bits, 0xff80u);
  EXPECT_EQ(to_bfloat16(0.0f).bits, 0x0000u);
  EXPECT_EQ(to_bfloat16(-0.0f).bits, 0x8000u);
}

// A NaN whose payload sits in the lower half would become infinity if it were cut or rounded.
TEST(Bfloat16, NanStaysNan) {
  for (uint32_t bits : {0x7f800001u, 0x7f80ffffu, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffffffffu}) {
    EXPECT_TRUE(std::isnan(to_float(to_bfloat16(from_bits(bits))))) << std::hex << bits;
    EXPECT_EQ(rounded(bits) >> 15, bits >> 31) << "sign of " << std::hex << bits;
  }
}

TEST(Bfloat16, SubnormalsAreKept) {
  EXPECT_EQ(rounded(0x00010000u), 0x0001u);
  EXPECT_EQ(rounded(0x00008001u), 0x0001u);
  EXPECT_EQ(rounded(0x00007fffu), 0x0000u);
}

}  // namespace bfloat16_test
}  // namespace phasor
