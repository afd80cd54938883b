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
TEST(SeedInterval, IsStudents) {
  const SeedInterval found = seed_interval({0.90, 0.92, 0.95, 0.97});
  EXPECT_EQ(found.count, 4);
  EXPECT_NEAR(found.mean, 0.935, 1e-15);
  EXPECT_NEAR(found.deviation, 0.031091263510296018, 1e-14);
  EXPECT_NEAR(found.low.value(), 0.8855268616575196, 1e-12);
  EXPECT_NEAR(found.high.value(), 0.9844731383424805, 1e-12);
  EXPECT_FALSE(found.degenerate);
}

// SciPy: mean -+ t.ppf(0.975, 4) * std(ddof=1) / sqrt(5), which reaches beyond the highest value, as no resampling
// could.
TEST(SeedInterval, IsStudentsFromFiveValuesOnToo) {
  const SeedInterval found = seed_interval({0.90, 0.92, 0.95, 0.96, 0.97});
  EXPECT_NEAR(found.mean, 0.94, 1e-15);
  const double half = 2.7764451051977987 * std::sqrt(0.0034 / 4.0 / 5.0);
  EXPECT_NEAR(found.low.value(), 0.94 - half, 1e-12);
  EXPECT_NEAR(found.high.value(), 0.94 + half, 1e-12);
  EXPECT_GT(found.high.value(), 0.97);
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

// They keep their seed's place and count for nothing: four values are left.
TEST(SeedInterval, ValuesThatAreNotFiniteAreLeftOut) {
  const SeedInterval four = seed_interval({0.90, 0.92, 0.95, 0.97});
  for (const double nothing : {kNaN, kInfinity, -kInfinity}) {
    const SeedInterval found = seed_interval({0.90, nothing, 0.92, 0.95, 0.97});
    EXPECT_EQ(found.count, 4);
    ASSERT_EQ(found.values.size(), 5u);
    EXPECT_EQ(found.values[2], 0.92);
    EXPECT_EQ(found.mean, four.mean);
    EXPECT_EQ(found.low, four.low);
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

}  // namespace seed_interval_test
}  // namespace phasor
