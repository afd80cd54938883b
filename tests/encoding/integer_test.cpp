#include <gtest/gtest.h>

#include "encoding/input_terms.h"

namespace phasor {
namespace integer_test {

using testing_support::bias_traits;
using testing_support::input_at;
using testing_support::input_shape;
using testing_support::start_of;

TEST(Integer, IsThePositionInEveryChannel) {
  const ResolvedEncoding encoding = start_of("integer", input_shape());
  EXPECT_FALSE(encoding.input->per_length);
  EXPECT_TRUE(encoding.parameters.empty());
  for (int64_t p = 0; p < input_shape().positions; ++p) {
    for (int64_t c = 0; c < input_shape().width; ++c) ASSERT_EQ(input_at(encoding, p, c), static_cast<double>(p));
  }
}

TEST(Integer, NormalisedRunsFromZeroToOneInEveryLength) {
  const ResolvedEncoding encoding = start_of("integer(normalised)", input_shape());
  ASSERT_TRUE(encoding.input->per_length);
  const int64_t positions = input_shape().positions;
  ASSERT_EQ(encoding.input->fixed.rows, positions * positions);
  EXPECT_EQ(input_at(encoding, 0, 0, 1), 0.0) << "a sequence of one token has no last position to divide by";
  for (int64_t length = 2; length <= positions; ++length) {
    for (int64_t p = 0; p < length; ++p) {
      const double expected = static_cast<double>(p) / static_cast<double>(length - 1);
      for (int64_t c = 0; c < input_shape().width; ++c) {
        ASSERT_EQ(input_at(encoding, p, c, length), expected) << "position " << p << " of " << length;
      }
    }
  }
}

// With drawn positions, p may be anything below max in a sequence of any length.
TEST(Integer, NormalisedHoldsForDrawnPositionsToo) {
  for (const int64_t max : {11, 20}) {
    const ResolvedEncoding encoding =
        start_of("randomized(integer(normalised),max=" + std::to_string(max) + ")", input_shape());
    ASSERT_EQ(encoding.input->fixed.rows, input_shape().positions * max);
    for (int64_t p = 0; p < max; ++p) {
      EXPECT_EQ(input_at(encoding, p, 3, 5), static_cast<double>(p) / 4.0) << "position " << p << " of " << max;
    }
  }
}

TEST(Integer, SaysWhatItIs) {
  EXPECT_EQ(bias_traits("integer").coupling, Coupling::input);
  EXPECT_FALSE(bias_traits("integer").exactly_relative || bias_traits("integer").depends_on_length);
  EXPECT_TRUE(bias_traits("integer(normalised)").depends_on_length);
}

}  // namespace integer_test
}  // namespace phasor
