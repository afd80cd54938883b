#include "phasor/statistics/bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "phasor/random/distributions.h"
#include "phasor/statistics/distribution.h"
#include "phasor/statistics/summary.h"
#include "statistics/bad_sample.h"

namespace phasor::statistics {
namespace bootstrap_test {

using enum BootstrapMethod;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<double> kSkewed = {0.21, 0.48, 0.05, 1.93, 0.77, 0.34, 2.61, 0.12, 0.90, 0.58, 4.10, 0.29};

// scipy.stats.bootstrap((x,), numpy.mean, n_resamples=400000, batch=20000, method=...) with random_state 0, 1, 2 of
// SciPy 1.10.1 ends at 0.4425 to 0.4442 and 1.7642 to 1.7683 (percentile), 0.5283 to 0.5300 and 1.9825 to 1.9833 (BCa).
TEST(Bootstrap, AgreesWithScipy) {
  const BootstrapInterval simple = bootstrap(kSkewed, mean, {.resamples = 100'000, .seed = 1, .method = percentile});
  EXPECT_NEAR(simple.low, 0.4433, 0.005);
  EXPECT_NEAR(simple.high, 1.7665, 0.010);
  const BootstrapInterval corrected = bootstrap(kSkewed, mean, {.resamples = 100'000, .seed = 1, .method = bca});
  EXPECT_EQ(corrected.method, bca);
  EXPECT_NEAR(corrected.low, 0.5292, 0.005);
  EXPECT_NEAR(corrected.high, 1.9830, 0.015);
  // Resamples of a mean have exactly the variance sum (x - mean)^2 / n^2.
  const double n = kSkewed.size();
  const double error = standard_deviation(kSkewed) * std::sqrt((n - 1) / n / n);
  EXPECT_NEAR(simple.standard_error, error, 5.0 * error / std::sqrt(2.0 * 100'000));
}

// Resamples that are exact normal quantiles around a shifted centre: every correction has a closed form.
TEST(Bootstrap, MethodsHaveTheirClosedForms) {
  constexpr int kCount = 20'001;
  Resamples resamples{.estimate = 0.3, .influences = {-0.1, -0.1, 0.2}, .units = 6};
  for (int i = 0; i < kCount; ++i) resamples.values.push_back(normal_quantile((i + 0.5) / kCount));
  const double grid = 1.0 / kCount / 0.005;  // spacing of the resamples where their density is 0.005 or more
  const BootstrapOptions options{.level = 0.9};
  const auto with = [&](BootstrapMethod method) {
    BootstrapOptions changed = options;
    changed.method = method;
    return bootstrap_interval(resamples, changed);
  };
  EXPECT_NEAR(with(percentile).low, normal_quantile(0.05), grid);
  EXPECT_NEAR(with(percentile).high, normal_quantile(0.95), grid);

  const double reach = std::sqrt(6.0 / 5.0) * student_quantile(0.95, 5.0);
  EXPECT_NEAR(with(expanded).low, -reach, grid);
  EXPECT_NEAR(with(expanded).high, reach, grid);

  const double skew = (0.008 - 0.002) / (6.0 * std::pow(0.06, 1.5));
  const auto end = [skew](double z) { return 0.3 + (0.3 + z) / (1.0 - skew * (0.3 + z)); };
  EXPECT_NEAR(with(bca).low, end(normal_quantile(0.05)), grid);
  EXPECT_NEAR(with(bca).high, end(normal_quantile(0.95)), grid);
}

// For a mean the influence of a value is its distance from the mean over n: jackknife and formula agree.
TEST(Bootstrap, JackknifeFindsTheInfluencesOfAMean) {
  std::vector<double> without;
  for (size_t i = 0; i < kSkewed.size(); ++i) {
    std::vector<double> rest = kSkewed;
    rest.erase(rest.begin() + static_cast<int64_t>(i));
    without.push_back(mean(rest));
  }
  const std::vector<double> influences = jackknife_influences(without);
  for (size_t i = 0; i < kSkewed.size(); ++i) {
    EXPECT_NEAR(influences[i], (kSkewed[i] - mean(kSkewed)) / static_cast<double>(kSkewed.size()), 1e-14);
  }
}

TEST(Bootstrap, PairedDrawsPairs) {
  std::vector<double> y;
  for (const double x : kSkewed) y.push_back(x + 2.0);
  const BootstrapInterval paired = bootstrap_paired(kSkewed, y, [](Sample a, Sample b) { return mean(b) - mean(a); });
  EXPECT_NEAR(paired.low, 2.0, 1e-14);
  EXPECT_NEAR(paired.high, 2.0, 1e-14);
  const BootstrapInterval apart =
      bootstrap_two_samples(kSkewed, y, [](Sample a, Sample b) { return mean(b) - mean(a); });
  EXPECT_LT(apart.low, 1.5);
  EXPECT_GT(apart.high, 2.5);
}

TEST(Bootstrap, RowsShareTheirResamples) {
  const std::vector<int64_t> blocks = {static_cast<int64_t>(kSkewed.size())};
  const auto sum = [](std::span<const uint32_t> rows) {
    double total = 0.0;
    for (const uint32_t row : rows) total += kSkewed[row];
    return total / static_cast<double>(rows.size());
  };
  const auto evaluate = [&](std::span<const uint32_t> rows, std::span<double> values) {
    values[0] = sum(rows);
    values[1] = -values[0];
  };
  for (const BootstrapMethod method : {percentile, expanded, bca}) {
    const auto both = bootstrap_rows(blocks, 2, evaluate, {.seed = 3, .method = method});
    EXPECT_NEAR(both[0].low, -both[1].high, 1e-9);
    EXPECT_NEAR(both[0].high, -both[1].low, 1e-9);
    const BootstrapInterval alone = bootstrap(kSkewed, mean, {.seed = 3, .method = method});
    EXPECT_NEAR(both[0].low, alone.low, 1e-12);
  }
}

TEST(Bootstrap, OneValueBoundsNothing) {
  for (const BootstrapMethod method : {percentile, expanded, bca}) {
    const BootstrapInterval result = bootstrap(std::vector{0.9}, mean, {.method = method});
    EXPECT_EQ(result.estimate, 0.9);
    EXPECT_EQ(result.low, -kInfinity);
    EXPECT_EQ(result.high, kInfinity);
    EXPECT_TRUE(result.degenerate);
    EXPECT_EQ(result.within(0.0, 1.0).low, 0.0);
    EXPECT_EQ(result.within(0.0, 1.0).high, 1.0);
    const auto difference = [](Sample a, Sample b) { return mean(a) - mean(b); };
    const BootstrapInterval against = bootstrap_two_samples(kSkewed, std::vector{0.9}, difference, {.method = method});
    EXPECT_EQ(against.low, -kInfinity);
    EXPECT_TRUE(against.degenerate);
  }
}

TEST(Bootstrap, EqualValuesGiveAPointThatSaysSo) {
  for (const BootstrapMethod method : {percentile, expanded, bca}) {
    const BootstrapInterval result = bootstrap(std::vector(5, 0.1), mean, {.method = method});
    EXPECT_EQ(result.low, 0.1);
    EXPECT_EQ(result.high, 0.1);
    EXPECT_EQ(result.standard_error, 0.0);
    EXPECT_TRUE(result.degenerate);
  }
  EXPECT_FALSE(bootstrap(kSkewed, mean).degenerate);
}

// A resample without a value could be anything: with many of them nothing is bounded.
TEST(Bootstrap, UndefinedResamplesWidenTheInterval) {
  Resamples resamples{.estimate = 0.0, .units = 10};
  for (int i = 0; i < 1000; ++i) resamples.values.push_back(i < 10 ? std::nan("") : normal_quantile((i - 9.5) / 990.0));
  const BootstrapInterval few = bootstrap_interval(resamples, {.method = percentile});
  EXPECT_EQ(few.undefined, 10);
  EXPECT_NEAR(few.low, normal_quantile(0.015 / 0.99), 0.02);
  EXPECT_NEAR(few.high, normal_quantile(0.975 / 0.99), 0.02);
  std::fill_n(resamples.values.begin(), 30, std::nan(""));
  const BootstrapInterval many = bootstrap_interval(resamples, {.method = percentile});
  EXPECT_EQ(many.low, -kInfinity);
  EXPECT_EQ(many.high, kInfinity);
  // A statistic without a value on the sample itself.
  const BootstrapInterval none = bootstrap(kSkewed, [](Sample) { return std::nan(""); });
  EXPECT_TRUE(std::isnan(none.estimate));
  EXPECT_EQ(none.undefined, none.resamples);
  EXPECT_EQ(none.high, kInfinity);
  EXPECT_TRUE(none.degenerate);
}

TEST(Bootstrap, BcaSaysWhenItFellBack) {
  // An estimate above all of its resamples: no finite correction of bias moves it among them.
  Resamples resamples{.estimate = 9.0, .values = {}, .influences = {0.1, -0.1}, .units = 2};
  for (int i = 0; i < 100; ++i) resamples.values.push_back(0.01 * i);
  const BootstrapInterval result = bootstrap_interval(resamples, {.method = bca});
  EXPECT_EQ(result.method, percentile);
  EXPECT_NEAR(result.low, 0.99 * 0.025, 1e-12);
}

TEST(Bootstrap, IsAFunctionOfItsSeed) {
  for (const BootstrapMethod method : {percentile, expanded, bca}) {
    const BootstrapInterval first = bootstrap(kSkewed, median, {.seed = 7, .method = method});
    const BootstrapInterval again = bootstrap(kSkewed, median, {.seed = 7, .method = method});
    EXPECT_EQ(first.low, again.low);
    EXPECT_EQ(first.high, again.high);
    EXPECT_EQ(first.standard_error, again.standard_error);
    EXPECT_NE(first.standard_error, bootstrap(kSkewed, median, {.seed = 8, .method = method}).standard_error);
  }
}

TEST(Bootstrap, RefusesBadInput) {
  expect_refuses_bad_samples([](Sample sample) { return bootstrap(sample, mean); });
  expect_refuses_bad_samples(
      [](Sample sample) { return bootstrap_paired(sample, sample, [](Sample, Sample) { return 0.0; }); });
  const auto zero = [](Sample, Sample) { return 0.0; };
  EXPECT_NE(error_of([&] { bootstrap_paired(kSkewed, std::vector{1.0}, zero); }).find("12 and 1"), std::string::npos);
  EXPECT_THROW(bootstrap(kSkewed, mean, {.resamples = 0}), Error);
  EXPECT_NE(error_of([] { bootstrap(kSkewed, mean, {.resamples = 39}); }).find("40 to"), std::string::npos);
  EXPECT_THROW(bootstrap(kSkewed, mean, {.level = 1.0}), Error);
  EXPECT_THROW(bootstrap(kSkewed, mean, {.level = std::nan("")}), Error);
  const auto nothing = [](std::span<const uint32_t>, std::span<double>) {};
  EXPECT_THROW(bootstrap_rows({}, 1, nothing), Error);
  EXPECT_THROW(bootstrap_rows(std::vector<int64_t>{3, 0}, 1, nothing), Error);
  EXPECT_THROW(bootstrap_rows(std::vector<int64_t>{3}, 0, nothing), Error);
}

}  // namespace bootstrap_test
}  // namespace phasor::statistics
