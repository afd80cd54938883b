#include "phasor/spectrum/logit_split.h"

#include "linalg/matrices.h"

namespace phasor {
namespace logit_split_test {

using namespace testing_support;

void expect_sum_of_one(const LogitSplit& s) {
  EXPECT_NEAR(s.gauge + s.relative + s.absolute_key + s.residual, 1.0, 1e-13);
}

TEST(LogitSplit, GivesEachPartToItsOwner) {
  const int64_t n = 15;
  const Dense rows = random_matrix(n, 1, 80);
  const Dense keys = random_matrix(n, 1, 81);
  const Dense lags = random_matrix(2 * n, 1, 82);
  for (const bool causal : {false, true}) {
    const LogitSplitter splitter(n, causal);
    const LogitSplit gauge = splitter.split(made(n, n, [&](int64_t i, int64_t) { return rows(i, 0); }));
    EXPECT_NEAR(gauge.gauge, 1.0, 1e-12);
    const LogitSplit key = splitter.split(made(n, n, [&](int64_t, int64_t j) { return keys(j, 0); }));
    expect_sum_of_one(key);
    EXPECT_NEAR(key.residual, 0.0, 1e-12);
    EXPECT_NEAR(key.relative_alone, 0.0, 1e-12);
    EXPECT_NEAR(key.gauge + key.key_first, 1.0, 1e-12);
    const LogitSplit lag = splitter.split(made(n, n, [&](int64_t i, int64_t j) { return lags(j - i + n, 0); }));
    expect_sum_of_one(lag);
    EXPECT_NEAR(lag.absolute_key, 0.0, 1e-12);
    EXPECT_NEAR(lag.gauge + lag.relative, 1.0, 1e-12);
    EXPECT_GT(lag.relative_alone, 0.3);
  }
}

// A trend along the keys is one along distances: by convention it counts as relative, and nothing is left to either
// once the other is there.
TEST(LogitSplit, CountsATrendAsRelative) {
  const int64_t n = 12;
  for (const bool causal : {false, true}) {
    const LogitSplit s = LogitSplitter(n, causal).split(made(n, n, [](int64_t, int64_t j) { return 0.3 * j; }));
    EXPECT_NEAR(s.gauge + s.relative, 1.0, 1e-12);
    EXPECT_NEAR(s.absolute_key, 0.0, 1e-12);
    EXPECT_NEAR(s.relative_alone, 0.0, 1e-12);
    EXPECT_NEAR(s.key_first, s.relative, 1e-12);
  }
}

// Shares of Gaussian noise: the dimension of each part over that of all, with the spread of a Beta variable.
TEST(LogitSplit, KnowsWhatNoiseShows) {
  const int64_t n = 10;
  const int trials = 300;
  for (const bool causal : {false, true}) {
    const LogitSplitter splitter(n, causal);
    LogitSplit mean;
    LogitSplit null;
    for (int trial = 0; trial < trials; ++trial) {
      const LogitSplit s = splitter.split(random_matrix(n, n, 2000 + static_cast<uint32_t>(trial), 0.5));
      expect_sum_of_one(s);
      mean.gauge += s.gauge / trials;
      mean.relative += s.relative / trials;
      mean.absolute_key += s.absolute_key / trials;
      mean.residual += s.residual / trials;
      null = s;
    }
    const double all = (causal ? n * (n + 1) / 2 : n * n) - 1.0;
    const auto bound = [&](double share) { return 5 * std::sqrt(2 * share * (1 - share) / (all + 2) / trials); };
    EXPECT_NEAR(mean.gauge, null.gauge_null, bound(null.gauge_null));
    EXPECT_NEAR(mean.relative, null.relative_null, bound(null.relative_null));
    EXPECT_NEAR(mean.absolute_key, null.absolute_key_null, bound(null.absolute_key_null));
    EXPECT_NEAR(mean.residual, null.residual_null, bound(null.residual_null));
  }
}

TEST(LogitSplit, OfOddMatricesIsClear) {
  EXPECT_FALSE(LogitSplitter(5).split(made(5, 5, [](int64_t, int64_t) { return 0.1; })).defined);
  EXPECT_FALSE(LogitSplitter(1).split(made(1, 1, [](int64_t, int64_t) { return 0.1; })).defined);
  const LogitSplit two = LogitSplitter(2).split(random_matrix(2, 2, 83));
  EXPECT_NEAR(two.residual, 0.0, 1e-14);
}

}  // namespace logit_split_test
}  // namespace phasor
