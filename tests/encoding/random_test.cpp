#include <gtest/gtest.h>

#include <cmath>

#include "encoding/input_terms.h"

namespace phasor {
namespace random_test {

using testing_support::input_at;
using testing_support::input_shape;
using testing_support::start_of;

TEST(Random, IsNeverTrained) {
  const ResolvedEncoding encoding = start_of("random", input_shape());
  EXPECT_TRUE(encoding.parameters.empty());
  EXPECT_TRUE(encoding.input->learned.empty());
}

// Mean and deviation of n draws of N(0, s^2): within five of their own deviations, s / sqrt(n) and s / sqrt(2 n).
TEST(Random, IsNormalWithItsDeviation) {
  const Table table = start_of("random(init=3)", input_shape(64, 200)).input->fixed;
  const double n = static_cast<double>(table.values.size());
  double sum = 0.0;
  double squares = 0.0;
  for (const double value : table.values) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / n, 0.0, 5.0 * 3.0 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n), 3.0, 5.0 * 3.0 / std::sqrt(2.0 * n));
}

TEST(Random, APositionsVectorDependsOnItsSeedAlone) {
  const ResolvedEncoding few = start_of("random", input_shape(16, 11));
  const ResolvedEncoding many = start_of("random", input_shape(16, 50), /*seed=*/99);
  const ResolvedEncoding other = start_of("random(seed=1)", input_shape(16, 11));
  for (int64_t p = 0; p < 11; ++p) {
    for (int64_t c = 0; c < 16; ++c) {
      ASSERT_EQ(input_at(few, p, c), input_at(many, p, c)) << p << ", " << c;
      ASSERT_NE(input_at(few, p, c), input_at(other, p, c)) << p << ", " << c;
    }
  }
  for (int64_t p = 1; p < 11; ++p) ASSERT_NE(input_at(few, p, 0), input_at(few, p - 1, 0));
}

}  // namespace random_test
}  // namespace phasor
