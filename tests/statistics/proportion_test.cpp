#include "phasor/statistics/proportion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/base/error.h"
#include "phasor/statistics/distribution.h"

namespace phasor::statistics {
namespace proportion_test {

struct Row {
  int64_t successes, trials;
  double level;
  Interval exact;
};

// scipy.stats.binomtest(successes, trials).proportion_ci(level, "exact"); SciPy 1.10.1.
const Row kTable[] = {
    {0, 5, 0.95, {0.0, 0.5218237501049814}},
    {5, 5, 0.95, {0.47817624989501856, 1.0}},
    {3, 5, 0.95, {0.14663279963467254, 0.9472550494736843}},
    {1, 20, 0.9, {0.0025613787765302806, 0.21610616420686987}},
    {13, 20, 0.95, {0.4078114654671718, 0.8460907952154588}},
    {50, 100, 0.99, {0.36886143735890525, 0.6311385626410948}},
    {997, 1000, 0.95, {0.9912579767613423, 0.9993809000683501}},
    {2048, 4096, 0.95, {0.4845703211713692, 0.5154296788286309}},
};

TEST(Proportion, AgreesWithScipy) {
  for (const Row& row : kTable) {
    // The distribution function is known to about log-gamma's size times the rounding unit, its inverse better still.
    const double bound =
        16.0 * std::numeric_limits<double>::epsilon() * std::max(4.0, std::lgamma(static_cast<double>(row.trials)));
    const Interval exact = clopper_pearson(row.successes, row.trials, row.level);
    EXPECT_NEAR(exact.low, row.exact.low, bound) << row.successes << " of " << row.trials;
    EXPECT_NEAR(exact.high, row.exact.high, bound) << row.successes << " of " << row.trials;
  }
}

TEST(Proportion, AllOfAllHasAClosedForm) {
  for (const int64_t k : {1, 5, 10, 20}) {
    const double root = std::pow(0.05, 1.0 / static_cast<double>(k));
    EXPECT_NEAR(clopper_pearson_lower(k, k), root, 1e-14) << k;
    EXPECT_NEAR(clopper_pearson_upper(0, k), 1.0 - root, 1e-14) << k;
    EXPECT_EQ(clopper_pearson(k, k).high, 1.0);
  }
}

// How often the interval covers, summed over all outcomes; no simulation is needed.
double coverage(Interval (*interval)(int64_t, int64_t, double), int64_t trials, double probability) {
  const auto n = static_cast<double>(trials);
  double covered = 0.0;
  for (int64_t k = 0; k <= trials; ++k) {
    const Interval bounds = interval(k, trials, 0.95);
    if (probability < bounds.low || probability > bounds.high) continue;
    const auto successes = static_cast<double>(k);
    covered += binomial_cumulative(successes, n, probability) - binomial_cumulative(successes - 1, n, probability);
  }
  return covered;
}

TEST(Proportion, ExactNeverCoversLessThanItsLevel) {
  for (const int64_t trials : {5, 20}) {
    for (double probability = 0.013; probability < 1.0; probability += 0.021) {
      EXPECT_GE(coverage(clopper_pearson, trials, probability), 0.95) << trials << " " << probability;
    }
  }
}

// scipy.stats.binomtest(min(lost, won), lost + won).pvalue, SciPy 1.10.1.
TEST(McNemar, AgreesWithScipy) {
  EXPECT_NEAR(mcnemar(9, 2, 100).p, 0.0654296875, 1e-14);
  EXPECT_NEAR(mcnemar(12, 30, 100).p, 0.007915897334896727, 1e-14);
  EXPECT_NEAR(mcnemar(6, 0, 100).p, 2.0 / 64, 1e-15);
  EXPECT_EQ(mcnemar(5, 5, 100).p, 1.0);
  EXPECT_EQ(mcnemar(0, 0, 100).p, 1.0);
}

TEST(McNemar, DropIsThePairedMean) {
  const PairedAccuracy result = mcnemar(9, 2, 50);
  EXPECT_DOUBLE_EQ(result.drop, 0.14);
  // Differences 1 (9 times), -1 (2 times), 0 (39 times): variance by N.
  const double variance = 11.0 / 50 - 0.14 * 0.14;
  EXPECT_NEAR(result.standard_error, std::sqrt(variance / 50), 1e-16);
}

TEST(Proportion, RefusesBadInput) {
  EXPECT_THROW(clopper_pearson(0, 0), Error);
  EXPECT_THROW(clopper_pearson(6, 5), Error);
  EXPECT_THROW(clopper_pearson(-1, 5), Error);
  EXPECT_THROW(clopper_pearson(1, 5, 1.0), Error);
  EXPECT_THROW(clopper_pearson(1, 5, std::nan("")), Error);
  EXPECT_THROW(mcnemar(3, 3, 5), Error);
  EXPECT_THROW(mcnemar(0, 0, 0), Error);
}

}  // namespace proportion_test
}  // namespace phasor::statistics
