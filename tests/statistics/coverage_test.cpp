// Do intervals cover as often as they say? Simulated with fixed seeds; bounds are four binomial errors around what
// theory says, which for a bootstrap of few values is not its nominal level.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "phasor/random/distributions.h"
#include "phasor/statistics/bootstrap.h"
#include "phasor/statistics/correlation.h"
#include "phasor/statistics/distribution.h"
#include "phasor/statistics/effect.h"
#include "phasor/statistics/hierarchical_bootstrap.h"
#include "phasor/statistics/permutation.h"
#include "phasor/statistics/summary.h"

namespace phasor::statistics {
namespace {

using enum BootstrapMethod;

constexpr int kSimulations = 2000;

double four_errors(double share) { return 4.0 * std::sqrt(share * (1.0 - share) / kSimulations); }

std::vector<double> normals(int simulation, uint32_t site, int count) {
  const RandomStream stream{
      .seed = 11, .purpose = Purpose::test, .site = site, .step = static_cast<uint32_t>(simulation)};
  std::vector<double> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = normal(stream, i);
  return values;
}

// interval(s) is that of simulation s.
template <class MakeInterval>
double coverage(const MakeInterval& interval, double truth) {
  int covered = 0;
  for (int s = 0; s < kSimulations; ++s) {
    const auto result = interval(s);
    covered += result.low <= truth && truth <= result.high;
  }
  return static_cast<double>(covered) / kSimulations;
}

BootstrapOptions options(int simulation, BootstrapMethod method, int64_t resamples) {
  return {.resamples = resamples, .seed = static_cast<uint64_t>(simulation), .method = method};
}

TEST(Coverage, OfStudentsIntervalsIsExact) {
  for (const int n : {2, 5}) {
    const double one = coverage([&](int s) { return mean_interval(normals(s, 1, n)); }, 0.0);
    EXPECT_NEAR(one, 0.95, four_errors(0.95)) << n;
  }
  const double two = coverage([](int s) { return mean_difference(normals(s, 2, 6), normals(s, 3, 6)); }, 0.0);
  EXPECT_NEAR(two, 0.95, four_errors(0.95) + 0.01);  // Welch's degrees of freedom are an approximation
}

// Resamples of a normal mean are near normal with deviation s sqrt((n - 1) / n) / sqrt(n), so that the share covered is
// one of Student's distribution. The tail is the one that the order statistics of so many resamples stand for.
TEST(Coverage, OfBootstrappedMeansIsWhatTheorySays) {
  constexpr int kN = 20;
  constexpr int64_t kResamples = 500;
  const double shrink = std::sqrt((kN - 1.0) / kN);
  for (const BootstrapMethod method : {percentile, bca, expanded}) {
    const double reach = method == expanded ? student_quantile(0.975, kN - 1) / shrink : normal_quantile(0.975);
    const double tail = ((kResamples - 1) * normal_cumulative(-reach) + 1) / (kResamples + 1);
    const double theory = 2.0 * student_cumulative(-normal_quantile(tail) * shrink, kN - 1) - 1.0;
    const double found =
        coverage([&](int s) { return bootstrap(normals(s, 4, kN), mean, options(s, method, kResamples)); }, 0.0);
    EXPECT_NEAR(found, theory, four_errors(theory) + 0.005) << static_cast<int>(method) << " theory " << theory;
    EXPECT_GT(found, 0.90);
    EXPECT_LT(found, 0.97);
  }
}

// Five seeds: percentiles are far too short, the expanded ones are near the level and no bootstrap can pass 93.75 %.
TEST(Coverage, OfFiveSeeds) {
  constexpr int64_t kResamples = 1000;
  const auto found = [](BootstrapMethod method) {
    return coverage([&](int s) { return bootstrap(normals(s, 5, 5), mean, options(s, method, kResamples)); }, 0.0);
  };
  EXPECT_LT(found(percentile), 0.87);
  const double wide = found(expanded);
  EXPECT_GT(wide, 0.90);
  EXPECT_LT(wide, 0.9375 + four_errors(0.9375));
}

TEST(Coverage, OfFiveAgainstFiveSeeds) {
  const double found = coverage(
      [](int s) { return mean_difference_bootstrap(normals(s, 6, 5), normals(s, 7, 5), options(s, expanded, 1000)); },
      0.0);
  EXPECT_NEAR(found, 0.95, four_errors(0.95) + 0.01);
}

// Seeds differ: drawing examples alone pretends to know the encoding from one handful of seeds.
TEST(Coverage, NeedsTheHierarchyWhereSeedsDiffer) {
  const auto groups = [](int s) {
    std::vector<std::vector<double>> result;
    const std::vector<double> centres = normals(s, 8, 5);
    for (uint32_t g = 0; g < 5; ++g) {
      result.push_back(normals(s, 20 + g, 10));
      for (double& value : result.back()) value += centres[g];
    }
    return result;
  };
  const double found =
      coverage([&](int s) { return bootstrap_hierarchical(groups(s), mean_of_means, options(s, expanded, 500)); }, 0.0);
  EXPECT_GT(found, 0.90);
  EXPECT_LT(found, 0.97);
  const auto pooled = [&](int s) {
    std::vector<double> all;
    for (const std::vector<double>& group : groups(s)) all.insert(all.end(), group.begin(), group.end());
    return bootstrap(all, mean, options(s, expanded, 200));
  };
  EXPECT_LT(coverage(pooled, 0.0), 0.65);
}

TEST(Coverage, OfACorrelation) {
  const auto interval = [](int s) {
    const std::vector<double> x = normals(s, 9, 20);
    std::vector<double> y = normals(s, 10, 20);
    for (size_t i = 0; i < y.size(); ++i) y[i] = 0.6 * x[i] + 0.8 * y[i];
    return correlation_interval(CorrelationKind::pearson, x, y, options(s, expanded, 300));
  };
  const double found = coverage(interval, 0.6);
  EXPECT_GT(found, 0.90);
  EXPECT_LT(found, 0.97);
}

// A test of level 0.05 rejects what is true in at most 5 %, and in exactly the steps that its arrangements allow.
TEST(Coverage, PermutationTestsKeepTheirLevel) {
  int rejected = 0;
  int rejected_drawn = 0;
  int rejected_signs = 0;
  for (int s = 0; s < kSimulations; ++s) {
    const std::vector<double> x = normals(s, 12, 5);
    const std::vector<double> y = normals(s, 13, 5);
    rejected += permute_two_samples(x, y).p <= 0.05;
    rejected_drawn +=
        permute_two_samples(x, y, {.most_exact = 0, .draws = 99, .seed = static_cast<uint64_t>(s)}).p <= 0.05;
    rejected_signs += flip_signs(normals(s, 14, 8)).p <= 0.05;
  }
  const double level = 12.0 / 252;  // two-sided p goes in steps of 2 / 252
  EXPECT_NEAR(rejected, kSimulations * level, kSimulations * four_errors(level));
  EXPECT_NEAR(rejected_drawn, kSimulations * 0.05, kSimulations * four_errors(0.05));
  EXPECT_NEAR(rejected_signs, kSimulations * 12.0 / 256, kSimulations * four_errors(12.0 / 256));
}

}  // namespace
}  // namespace phasor::statistics
