#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "encoding/input_terms.h"

namespace phasor {
namespace binary_test {

using testing_support::input_at;
using testing_support::input_shape;
using testing_support::mistake;
using testing_support::start_of;

// The bits say the position: sum of bit c times 2^c.
TEST(Binary, BitsAddUpToThePosition) {
  for (const int64_t positions : {1, 2, 11, 16, 17}) {
    const ResolvedEncoding encoding = start_of("binary", input_shape(6, positions));
    for (int64_t p = 0; p < positions; ++p) {
      double sum = 0.0;
      for (int64_t c = 0; c < 6; ++c) {
        const double bit = input_at(encoding, p, c);
        ASSERT_TRUE(bit == 0.0 || bit == 1.0);
        sum += std::ldexp(bit, static_cast<int>(c));
      }
      EXPECT_EQ(sum, static_cast<double>(p)) << "of " << positions;
    }
  }
}

TEST(Binary, SignedIsTwiceTheBitMinusOneWhereThereAreBits) {
  const EncodingShape shape = input_shape(6, 11);  // 0 to 10: four bits
  const ResolvedEncoding bits = start_of("binary", shape);
  const ResolvedEncoding signs = start_of("binary(signed)", shape);
  for (int64_t p = 0; p < 11; ++p) {
    for (int64_t c = 0; c < 4; ++c) ASSERT_EQ(input_at(signs, p, c), 2.0 * input_at(bits, p, c) - 1.0);
    for (int64_t c = 4; c < 6; ++c) ASSERT_EQ(input_at(signs, p, c), 0.0) << "no position has this bit";
  }
}

TEST(Binary, NeedsAChannelForEveryBit) {
  EXPECT_EQ(mistake("binary", input_shape(4, 16)), "no mistake");
  EXPECT_EQ(mistake("binary", input_shape(4, 17)), "column 1: 17 positions have 5 bits, which do not fit a width of 4");
  EXPECT_EQ(mistake("randomized(binary,max=1024)", input_shape(8, 4)),
            "column 12: 1024 positions have 10 bits, which do not fit a width of 8");
}

}  // namespace binary_test
}  // namespace phasor
