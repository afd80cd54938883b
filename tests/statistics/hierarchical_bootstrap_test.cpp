#include "phasor/statistics/hierarchical_bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "phasor/statistics/summary.h"
#include "statistics/bad_sample.h"

namespace phasor::statistics {
namespace hierarchical_bootstrap_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<std::vector<double>> kGroups = {{1.0, 2.0, 4.0}, {3.0, 5.0}, {0.0, 1.0, 1.0, 2.0}};

double group_variance(Sample group) {  // by n
  return variance(group) * static_cast<double>(group.size() - 1) / static_cast<double>(group.size());
}

// Of the mean of K drawn groups' means: (variance of the means + mean variance of each drawn mean) / K.
TEST(HierarchicalBootstrap, HasTheVarianceOfBothLevels) {
  std::vector<double> means;
  double inner = 0.0;
  for (const std::vector<double>& group : kGroups) {
    means.push_back(mean(group));
    inner += group_variance(group) / static_cast<double>(group.size());
  }
  const double expected = std::sqrt((group_variance(means) + inner / 3.0) / 3.0);
  constexpr int64_t kResamples = 100'000;
  const BootstrapInterval result = bootstrap_hierarchical(kGroups, mean_of_means, {.resamples = kResamples});
  EXPECT_NEAR(result.standard_error, expected, 5.0 * expected / std::sqrt(2.0 * kResamples));
  EXPECT_NEAR(result.estimate, mean(means), 1e-14);
}

TEST(HierarchicalBootstrap, DrawsItemsOfTheRightGroup) {
  const std::vector<int64_t> sizes = {3, 1, 7};
  int64_t repeated = 0;
  const auto evaluate = [&](std::span<const DrawnGroup> drawn, std::span<double> values) {
    EXPECT_LE(drawn.size(), sizes.size());
    for (const DrawnGroup& group : drawn) {
      ASSERT_LT(group.group, sizes.size());
      ASSERT_EQ(static_cast<int64_t>(group.items.size()), sizes[group.group]);
      for (const uint32_t item : group.items) ASSERT_LT(item, sizes[group.group]);
    }
    repeated += drawn.size() == 3 && drawn[0].group == drawn[1].group;
    values[0] = static_cast<double>(drawn[0].group);
    values[1] = 1.0;
  };
  const auto results = bootstrap_hierarchy(sizes, 2, evaluate, {.resamples = 900, .method = BootstrapMethod::bca});
  EXPECT_NEAR(static_cast<double>(repeated), 300.0, 5.0 * std::sqrt(900 * 2.0 / 9));
  EXPECT_TRUE(results[1].degenerate);
  EXPECT_EQ(results[1].low, 1.0);
}

TEST(HierarchicalBootstrap, OneSeedBoundsNothing) {
  const std::vector<std::vector<double>> one = {std::vector<double>(100, 0.5)};
  const BootstrapInterval result = bootstrap_hierarchical(one, mean_of_means);
  EXPECT_EQ(result.low, -kInfinity);
  EXPECT_EQ(result.high, kInfinity);
  EXPECT_TRUE(result.degenerate);
}

TEST(HierarchicalBootstrap, IsAFunctionOfItsSeed) {
  for (const BootstrapMethod method : {BootstrapMethod::expanded, BootstrapMethod::bca}) {
    const BootstrapOptions options{.resamples = 500, .seed = 4, .method = method};
    const BootstrapInterval first = bootstrap_hierarchical(kGroups, mean_of_means, options);
    const BootstrapInterval again = bootstrap_hierarchical(kGroups, mean_of_means, options);
    EXPECT_EQ(first.low, again.low);
    EXPECT_EQ(first.high, again.high);
  }
}

TEST(HierarchicalBootstrap, RefusesBadInput) {
  EXPECT_THROW(bootstrap_hierarchical({}, mean_of_means), Error);
  EXPECT_THROW(bootstrap_hierarchical(std::vector<std::vector<double>>{{1.0}, {}}, mean_of_means), Error);
  EXPECT_THROW(bootstrap_hierarchical(std::vector<std::vector<double>>{{1.0}, {std::nan("")}}, mean_of_means), Error);
  EXPECT_THROW(bootstrap_hierarchical(kGroups, mean_of_means, {.resamples = 3}), Error);
  EXPECT_THROW(mean_of_means({}), Error);
}

}  // namespace hierarchical_bootstrap_test
}  // namespace phasor::statistics
