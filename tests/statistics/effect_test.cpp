#include "phasor/statistics/effect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "statistics/bad_sample.h"

namespace phasor::statistics {
namespace effect_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<double> kA = {0.91, 0.94, 0.88, 0.97};
const std::vector<double> kB = {0.85, 0.90, 0.80, 0.83, 0.89};

// 2 * scipy.stats.mannwhitneyu(a, b).statistic / 20 - 1, SciPy 1.10.1.
TEST(CliffsDelta, CountsWins) {
  EXPECT_DOUBLE_EQ(cliffs_delta(kA, kB), 0.8);
  EXPECT_DOUBLE_EQ(cliffs_delta(kB, kA), -0.8);
  EXPECT_EQ(cliffs_delta(kA, kA), 0.0);
  EXPECT_EQ(cliffs_delta(std::vector{1.0, 2.0}, std::vector{2.0, 3.0}), -0.75);  // three losses, one tie
}

TEST(CliffsDelta, IntervalOfSeparatedSamplesSaysThatItKnowsNoSpread) {
  const BootstrapInterval apart = cliffs_delta_interval(std::vector{5.0, 6.0, 7.0}, std::vector{1.0, 2.0, 3.0});
  EXPECT_EQ(apart.estimate, 1.0);
  EXPECT_EQ(apart.low, 1.0);
  EXPECT_TRUE(apart.degenerate);
  const BootstrapInterval mixed = cliffs_delta_interval(kA, kB, {.seed = 1});
  EXPECT_LT(mixed.low, 0.8);
  EXPECT_GE(mixed.low, -1.0);
  EXPECT_EQ(mixed.high, 1.0);
  const BootstrapInterval one = cliffs_delta_interval(std::vector{5.0}, kB);
  EXPECT_EQ(one.low, -1.0);
  EXPECT_EQ(one.high, 1.0);
}

// numpy, with Student's quantile from scipy.special.betaincinv at Welch's degrees of freedom; SciPy 1.10.1.
TEST(MeanDifference, AgreesWithScipy) {
  const MeanInterval welch = mean_difference(kA, kB);
  EXPECT_NEAR(welch.estimate, 0.07100000000000017, 1e-15);
  EXPECT_NEAR(welch.low, 0.007063353240050016, 1e-14);
  EXPECT_NEAR(welch.high, 0.13493664675995032, 1e-14);
  EXPECT_NEAR(welch.freedom, 6.7684104994531555, 1e-12);
  EXPECT_FALSE(welch.degenerate);
}

// 1, 2, 3: mean 2, deviation 1; with two degrees of freedom t(p) = (2 p - 1) / sqrt(2 p (1 - p)).
TEST(MeanInterval, HasItsClosedForm) {
  const MeanInterval result = mean_interval(std::vector{1.0, 2.0, 3.0});
  EXPECT_NEAR(result.high - 2.0, 0.95 / std::sqrt(2.0 * 0.975 * 0.025) / std::sqrt(3.0), 1e-13);
  EXPECT_NEAR(result.low + result.high, 4.0, 1e-14);
  EXPECT_EQ(result.freedom, 2.0);
}

TEST(MeanInterval, OfDegenerateSamplesSaysSo) {
  const MeanInterval one = mean_interval(std::vector{0.5});
  EXPECT_EQ(one.low, -kInfinity);
  EXPECT_EQ(one.high, kInfinity);
  EXPECT_TRUE(one.degenerate);
  const MeanInterval equal = mean_interval(std::vector(4, 0.1));
  EXPECT_EQ(equal.low, 0.1);
  EXPECT_EQ(equal.high, 0.1);
  EXPECT_TRUE(equal.degenerate);
  const MeanInterval against_one = mean_difference(kA, std::vector{0.5});
  EXPECT_EQ(against_one.high, kInfinity);
  EXPECT_TRUE(mean_difference(std::vector(3, 1.0), std::vector(3, 2.0)).degenerate);
  EXPECT_EQ(mean_difference(std::vector(3, 1.0), std::vector(3, 2.0)).high, -1.0);
}

TEST(Effect, RefusesBadInput) {
  expect_refuses_bad_samples([](Sample sample) { return cliffs_delta(sample, kA); });
  expect_refuses_bad_samples([](Sample sample) { return cliffs_delta(kA, sample); });
  expect_refuses_bad_samples([](Sample sample) { return mean_interval(sample); });
  expect_refuses_bad_samples([](Sample sample) { return mean_difference(kA, sample); });
  EXPECT_THROW(mean_interval(kA, 0.0), Error);
}

}  // namespace effect_test
}  // namespace phasor::statistics
