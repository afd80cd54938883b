#include <gtest/gtest.h>

#include <cmath>

#include "encoding/biases.h"

namespace phasor {
namespace sandwich_test {

using namespace testing_support;

// The products that give it its name: sinusoidal vectors of the two positions, divided by the head's ratio.
double product(int64_t i, int64_t j, int64_t channels, double base) {
  double sum = 0.0;
  for (int64_t c = 0; c < channels / 2; ++c) {
    const double frequency = std::exp(-std::log(base) * static_cast<double>(2 * c) / static_cast<double>(channels));
    const double a = static_cast<double>(i) * frequency;
    const double b = static_cast<double>(j) * frequency;
    sum += std::sin(a) * std::sin(b) + std::cos(a) * std::cos(b);
  }
  return sum;
}

void expect_products(const std::string& text, int64_t heads, int64_t channels, double base) {
  const EncodingShape shape = bias_shape(heads, 60);
  const ResolvedEncoding resolved = start_of(text, shape);
  for_each_bias(shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
    const double ratio = 8.0 * static_cast<double>(head + 1) / static_cast<double>(heads);
    // Angles up to 60 are good to 1e-14, and the first few channels have angles of that size.
    ASSERT_NEAR(bias_at(resolved, layer, head, i, j), product(i, j, channels, base) / ratio, 1e-12);
  });
}

TEST(Sandwich, IsTheProductOfSinusoidalVectors) {
  expect_products("sandwich", 8, 128, 10000.0);
  expect_products("sandwich", 6, 128, 10000.0);
  expect_products("sandwich(channels=10,base=50)", 4, 10, 50.0);
  expect_products("sandwich(2)", 3, 2, 10000.0);
}

TEST(Sandwich, IsLargestWhereItStandsAndSmallerInLaterHeads) {
  const EncodingShape shape = bias_shape(8, 60);
  const ResolvedEncoding resolved = start_of("sandwich", shape);
  for (int64_t head = 0; head < 8; ++head) {
    EXPECT_EQ(bias_at(resolved, 0, head, 3, 3), 64.0 / static_cast<double>(head + 1));
    for (int64_t d = 1; d < 60; ++d) {
      EXPECT_LT(bias_at(resolved, 0, head, d, 0), bias_at(resolved, 0, head, 0, 0));
      EXPECT_EQ(bias_at(resolved, 0, head, d, 0), bias_at(resolved, 0, head, 0, d));
    }
  }
}

TEST(Sandwich, IsToeplitzAndAssignable) {
  expect_toeplitz("sandwich");
  expect_assignable("sandwich");
}

TEST(Sandwich, TrainsNothing) {
  EXPECT_TRUE(resolve_text("sandwich").parameters.empty());
  const EncodingTraits traits = bias_traits("sandwich");
  EXPECT_EQ(traits.coupling, Coupling::toeplitz_bias);
  EXPECT_TRUE(traits.exactly_relative && traits.extrapolates);
  EXPECT_FALSE(traits.learnable || traits.depends_on_length);
}

TEST(Sandwich, RefusesBadArguments) {
  EXPECT_EQ(mistake("sandwich(channels=7)"), "column 1: sandwich needs an even number of channels, not 7");
  EXPECT_EQ(mistake("sandwich(channels=0)"), "column 19: sandwich: channels must be from 2 to 65536, not 0");
  EXPECT_EQ(mistake("sandwich(base=0.5)"), "column 15: sandwich: base must be from 1 to 1e12, not 0.5");
}

}  // namespace sandwich_test
}  // namespace phasor
