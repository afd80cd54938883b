#include "phasor/study/summary/seed_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace phasor {
namespace seed_interval_test {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// SciPy: mean -+ t.ppf(0.975, 3) * std(ddof=1) / sqrt(4).
TEST(SeedInterval, IsStudentsBelowFiveValues) {
  const SeedInterval found = seed_interval({0.90, 0.92, 0.95, 0.97});
  EXPECT_EQ(found.method, IntervalMethod::student);
  EXPECT_EQ(found.count, 4);
  EXPECT_NEAR(found.mean, 0.935, 1e-15);
  EXPECT_NEAR(found.deviation, 0.031091263510296018, 1e-14);
  EXPECT_NEAR(found.low.value(), 0.8855268616575196, 1e-12);
  EXPECT_NEAR(found.high.value(), 0.9844731383424805, 1e-12);
  EXPECT_FALSE(found.degenerate);
}

// The quantiles of all 3125 resamples at Phi(sqrt(5 / 4) t(0.025, 4)) = 0.00095 and its mirror are 0.904 and 0.968, at
// three times that tail 0.908 and 0.966, the plain percentiles 0.916 and 0.962. 4000 draws must come to lie outside of
// the latter two.
TEST(SeedInterval, IsTheExpandedBootstrapFromFiveValuesOn) {
  const SeedInterval found = seed_interval({0.90, 0.92, 0.95, 0.96, 0.97});
  EXPECT_EQ(found.method, IntervalMethod::bootstrap);
  EXPECT_NEAR(found.mean, 0.94, 1e-15);
  EXPECT_GE(found.low.value(), 0.90);
  EXPECT_LE(found.low.value(), 0.908 + 1e-12);
  EXPECT_GE(found.high.value(), 0.966 - 1e-12);
  EXPECT_LE(found.high.value(), 0.97);
}

TEST(SeedInterval, EndsAreMovedIntoTheRange) {
  // t(0.975, 1) = tan(0.475 pi), and the standard error is 0.125.
  const double half = 0.125 * std::tan(0.475 * std::numbers::pi);
  const SeedInterval free = seed_interval({0.5, 0.75});
  EXPECT_NEAR(free.low.value(), 0.625 - half, 1e-13);
  EXPECT_NEAR(free.high.value(), 0.625 + half, 1e-13);
  const SeedInterval share = seed_interval({0.5, 0.75}, kShareRange);
  EXPECT_EQ(share.low, 0.0);
  EXPECT_EQ(share.high, 1.0);
  EXPECT_EQ(share.mean, 0.625);
  const SeedInterval positive = seed_interval({0.5, 0.75}, kPositiveRange);
  EXPECT_EQ(positive.low, 0.0);
  EXPECT_EQ(positive.high, free.high);
}

TEST(SeedInterval, OneValueHasNone) {
  const SeedInterval found = seed_interval({0.5}, kShareRange);
  EXPECT_EQ(found.count, 1);
  EXPECT_EQ(found.mean, 0.5);
  EXPECT_TRUE(std::isnan(found.deviation));
  EXPECT_FALSE(found.low || found.high || found.degenerate);
  EXPECT_EQ(found.method, IntervalMethod::none);
}

TEST(SeedInterval, NoValueHasNoMean) {
  for (const std::vector<double>& values : {std::vector<double>{}, {kNaN, kNaN}}) {
    const SeedInterval found = seed_interval(values);
    EXPECT_EQ(found.count, 0);
    EXPECT_EQ(found.values.size(), values.size());
    EXPECT_TRUE(std::isnan(found.mean));
    EXPECT_FALSE(found.low || found.high);
  }
}

// They keep their seed's place and count for nothing: four values are left, and the method is that of four.
TEST(SeedInterval, ValuesThatAreNotFiniteAreLeftOut) {
  const SeedInterval four = seed_interval({0.90, 0.92, 0.95, 0.97});
  for (const double nothing : {kNaN, kInfinity, -kInfinity}) {
    const SeedInterval found = seed_interval({0.90, nothing, 0.92, 0.95, 0.97});
    EXPECT_EQ(found.count, 4);
    ASSERT_EQ(found.values.size(), 5u);
    EXPECT_EQ(found.values[2], 0.92);
    EXPECT_EQ(found.mean, four.mean);
    EXPECT_EQ(found.low, four.low);
    EXPECT_EQ(found.method, IntervalMethod::student);
  }
}

TEST(SeedInterval, EqualValuesAreDegenerate) {
  for (const size_t count : {2u, 4u, 5u, 8u}) {
    const SeedInterval found = seed_interval(std::vector<double>(count, 0.1));
    EXPECT_TRUE(found.degenerate) << count;
    EXPECT_EQ(found.low, 0.1);
    EXPECT_EQ(found.high, 0.1);
    EXPECT_EQ(found.deviation, 0.0);
  }
  EXPECT_FALSE(seed_interval({0.1, 0.1, 0.1, 0.1, 0.2}).degenerate);
}

TEST(SeedInterval, MethodsHaveNames) {
  EXPECT_EQ(name(IntervalMethod::none), "none");
  EXPECT_EQ(name(IntervalMethod::student), "Student's t");
  EXPECT_EQ(name(IntervalMethod::bootstrap), "expanded bootstrap");
}

}  // namespace seed_interval_test
}  // namespace phasor
