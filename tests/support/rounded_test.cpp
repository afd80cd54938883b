// The bounds themselves: fp32 arithmetic stays inside them, and they are not much wider than it needs.
#include "reference/rounded.h"

#include <gtest/gtest.h>

#include "support/random_data.h"

namespace phasor {
namespace rounded_test {

using namespace testing_support;
using reference::Rounded16;
using reference::Rounded32;
using reference::Sum;

constexpr int64_t kTrials = 2000;

// error / bound of fp32 sums of n terms around `mean`, the worst of many.
double worst_sum_ratio(int64_t n, double mean) {
  RandomData data(161);
  double worst = 0.0;
  for (int64_t trial = 0; trial < kTrials; ++trial) {
    const Grid<double> terms = data.normal(1, n, Dtype::f32, 1.0, mean);
    Sum<Rounded32> bound;
    float sum = 0.0f;
    for (double term : terms.data) {
      bound.add(term);
      sum += static_cast<float>(term);
    }
    worst = std::max(worst, std::abs(double{sum} - bound.total().value) / bound.total().error);
  }
  return worst;
}

TEST(Rounded, SumsStayInsideTheirBoundAndNearIt) {
  for (int64_t n : {2, 3, 16, 100, 2000}) {
    for (double mean : {0.0, 3.0}) {
      const double ratio = worst_sum_ratio(n, mean);
      EXPECT_LE(ratio, 1.0) << n << " terms around " << mean;
      EXPECT_GE(ratio, 0.1) << n << " terms around " << mean << ": the bound is too wide to see anything";
    }
  }
}

// x exp(x) / sqrt(x^2 + 1) in float against double.
TEST(Rounded, ExpressionsStayInsideTheirBoundAndNearIt) {
  const Grid<double> data = RandomData(162).normal(1, 20000);
  double worst = 0.0;
  for (double x : data.data) {
    const auto f = static_cast<float>(x);
    const float got = f * std::exp(f) / std::sqrt(f * f + 1.0f);
    const Rounded32 r(x);
    const Rounded32 expected = r * exp(r) / sqrt(r * r + Rounded32(1.0));
    worst = std::max(worst, std::abs(double{got} - expected.value) / expected.error);
  }
  EXPECT_LE(worst, 1.0);
  EXPECT_GE(worst, 0.1);
}

TEST(Rounded, ExactOperandsHaveNoError) {
  EXPECT_EQ(Rounded32(3.0).error, 0.0);
  EXPECT_EQ((-Rounded32(3.0)).value, -3.0);
  Sum<Rounded32> one;
  one.add(Rounded32(5.0));
  EXPECT_EQ(one.total().error, 0.0) << "a sum of one term is that term";
  EXPECT_EQ(Sum<Rounded32>().total().error, 0.0);
}

TEST(Rounded, OperandsOfProductsAreRoundedInBf16Only) {
  EXPECT_EQ(reference::operand(Rounded32(1.5)).error, 0.0);
  EXPECT_EQ(reference::operand(Rounded16(1.5)).error, 1.5 * 0x1.0p-8);
}

TEST(Rounded, WhatMayBeZeroHasNoBoundedInverse) {
  const Rounded32 unsure(1e-9, 1e-8);
  EXPECT_TRUE(std::isinf((Rounded32(1.0) / unsure).error));
  EXPECT_TRUE(std::isinf(log(unsure).error));
}

}  // namespace rounded_test
}  // namespace phasor
