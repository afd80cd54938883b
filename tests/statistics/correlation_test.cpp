#include "phasor/statistics/correlation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "statistics/bad_sample.h"

namespace phasor::statistics {
namespace correlation_test {

using enum CorrelationKind;

const std::vector<double> kX = {3.1, -1.2, 4.4, 0.3, 2.2, 2.2, 7.5};
const std::vector<double> kY = {2.0, 0.1, 3.3, 1.0, 2.5, -0.4, 3.3};
const std::vector<double> kGroupedX = {3, 1, 2, 10, 14, 12, 5, 6};
const std::vector<double> kGroupedY = {1, 0, 3, 7, 6, 9, 2, 2.5};
const std::vector<int64_t> kGroups = {0, 0, 0, 1, 1, 1, 2, 2};

// scipy.stats.pearsonr, spearmanr, rankdata; SciPy 1.10.1.
TEST(Correlation, AgreesWithScipy) {
  EXPECT_NEAR(correlation(pearson, kX, kY), 0.7587411738117125, 1e-14);
  EXPECT_NEAR(correlation(spearman, kX, kY), 0.7818181818181817, 1e-14);
  EXPECT_EQ(mid_ranks(kX), (std::vector<double>{5, 1, 6, 2, 3.5, 3.5, 7}));
}

TEST(Correlation, OfALineIsOne) {
  std::vector<double> line;
  std::vector<double> curve;
  for (const double x : kX) {
    line.push_back(5.0 - 3.0 * x);
    curve.push_back(std::exp(x));
  }
  EXPECT_NEAR(correlation(pearson, kX, line), -1.0, 1e-14);
  EXPECT_LT(correlation(pearson, kX, curve), 0.95);
  EXPECT_EQ(correlation(spearman, kX, curve), 1.0);
}

// Between these groups x and y rise together, within them they do not: -0.0753 by NumPy, centred by group.
TEST(Correlation, WithinGroupsTakesTheGroupsOut) {
  EXPECT_GT(correlation(pearson, kGroupedX, kGroupedY), 0.8);
  EXPECT_NEAR(correlation_within(pearson, kGroupedX, kGroupedY, kGroups), -0.07525914950784675, 1e-14);
  // Ranks within groups, centred, by hand:
  // x 3 1 2 | 10 14 12 | 5 6 -> 1 -1 0 | -1 1 0 | -.5 .5;  y 1 0 3 | 7 6 9 | 2 2.5 -> 0 -1 1 | 0 -1 1 | -.5 .5
  EXPECT_NEAR(correlation_within(spearman, kGroupedX, kGroupedY, kGroups), (1.0 - 1.0 + 0.5) / 4.5, 1e-14);
}

TEST(Correlation, DoesNotDependOnTheOrderOfPairs) {
  std::vector<double> x(kGroupedX.rbegin(), kGroupedX.rend());
  std::vector<double> y(kGroupedY.rbegin(), kGroupedY.rend());
  std::vector<int64_t> groups(kGroups.rbegin(), kGroups.rend());
  EXPECT_NEAR(correlation_within(pearson, x, y, groups), correlation_within(pearson, kGroupedX, kGroupedY, kGroups),
              1e-15);
}

TEST(Correlation, WithAConstantDoesNotExist) {
  const std::vector<double> constant(7, 0.1);
  EXPECT_TRUE(std::isnan(correlation(pearson, kX, constant)));
  EXPECT_TRUE(std::isnan(correlation(spearman, constant, kY)));
  EXPECT_TRUE(std::isnan(correlation(pearson, std::vector{1.0}, std::vector{2.0})));
  const BootstrapInterval interval = correlation_interval(pearson, kX, constant);
  EXPECT_TRUE(std::isnan(interval.estimate));
  EXPECT_EQ(interval.low, -1.0);
  EXPECT_EQ(interval.high, 1.0);
  EXPECT_TRUE(interval.degenerate);
  EXPECT_EQ(permute_correlation(pearson, kX, constant).p, 1.0);
  // Constant within each group, though not over all.
  const std::vector<double> by_group = {0.1, 0.1, 0.1, 0.7, 0.7, 0.7, 0.3, 0.3};
  EXPECT_TRUE(std::isnan(correlation_within(pearson, by_group, kGroupedY, kGroups)));
}

TEST(Correlation, IntervalHoldsTheEstimateAndRepeats) {
  for (const CorrelationKind kind : {pearson, spearman}) {
    const BootstrapOptions options{.resamples = 1000, .seed = 2};
    const BootstrapInterval all = correlation_interval(kind, kX, kY, options);
    EXPECT_LE(all.low, all.estimate);
    EXPECT_GE(all.high, all.estimate);
    EXPECT_EQ(all.low, correlation_interval(kind, kX, kY, options).low);
    const BootstrapInterval within = correlation_within_interval(kind, kGroupedX, kGroupedY, kGroups, options);
    EXPECT_LE(within.low, within.estimate);
    EXPECT_GE(within.high, within.estimate);
    EXPECT_GE(within.low, -1.0);
    EXPECT_LE(within.high, 1.0);
  }
}

// scipy.stats.permutation_test((x,), pearsonr(x, y), permutation_type="pairings", n_resamples=inf): of 5040 orders 100
// are at least as large, and of its null distribution 220 as large in size. SciPy 1.10.1.
TEST(CorrelationPermutation, AgreesWithScipy) {
  const PermutationTest test = permute_correlation(pearson, kX, kY);
  EXPECT_TRUE(test.exact);
  EXPECT_EQ(test.arrangements, 5040);
  EXPECT_EQ(test.p, 220.0 / 5040);
  EXPECT_EQ(permute_correlation(pearson, kX, kY, {.alternative = Alternative::greater}).p, 100.0 / 5040);
  const PermutationTest drawn = permute_correlation(pearson, kX, kY, {.most_exact = 100, .seed = 1});
  EXPECT_LE(drawn.p_range.low, test.p);
  EXPECT_GE(drawn.p_range.high, test.p);
}

TEST(CorrelationPermutation, StaysWithinGroups) {
  const PermutationTest test = permute_correlation(pearson, kGroupedX, kGroupedY, kGroups);
  EXPECT_EQ(test.arrangements, 6 * 6 * 2);
  EXPECT_EQ(test.smallest_p, 1.0 / 72);
  // Four pairs of rising pairs, far apart: 2 of 16 orders are as extreme, though all of them are nearly a line.
  const std::vector<double> x = {0, 1, 10, 11.5, 20, 22, 30, 33};
  const std::vector<double> y = {5, 6, 50, 51.2, 95, 98, 130, 131};
  const std::vector<int64_t> pairs = {0, 0, 1, 1, 2, 2, 3, 3};
  EXPECT_EQ(permute_correlation(pearson, x, y, pairs).p, 2.0 / 16);
  EXPECT_EQ(permute_correlation(pearson, x, y, pairs).smallest_p, 2.0 / 16);
  const PermutationTest drawn =
      permute_correlation(pearson, x, y, pairs, {.most_exact = 1, .draws = 20'000, .seed = 5});
  EXPECT_LE(drawn.p_range.low, 2.0 / 16);
  EXPECT_GE(drawn.p_range.high, 2.0 / 16);
}

TEST(CorrelationPermutation, SmallestPs) {
  EXPECT_EQ(smallest_p_correlation(std::vector<int64_t>{5}), 1.0 / 120);
  EXPECT_EQ(smallest_p_correlation(std::vector<int64_t>{2}), 1.0);
  EXPECT_EQ(smallest_p_correlation(std::vector<int64_t>{1, 1}), 1.0);
  EXPECT_EQ(smallest_p_correlation(std::vector<int64_t>{2, 2, 2}), 0.25);
  EXPECT_EQ(smallest_p_correlation(std::vector<int64_t>{2, 2, 2}, Alternative::greater), 0.125);
}

TEST(Correlation, RefusesBadInput) {
  expect_refuses_bad_samples([](Sample sample) { return correlation(pearson, sample, sample); });
  expect_refuses_bad_samples([](Sample sample) { return mid_ranks(sample); });
  EXPECT_THROW(correlation(pearson, kX, std::vector{1.0}), Error);
  EXPECT_THROW(correlation_within(pearson, kX, kY, kGroups), Error);
  EXPECT_THROW(permute_correlation(spearman, kX, kY, kGroups), Error);
  EXPECT_THROW(correlation_within_interval(spearman, kX, kY, kGroups), Error);
  EXPECT_THROW(smallest_p_correlation({}), Error);
}

}  // namespace correlation_test
}  // namespace phasor::statistics
