// Against SciPy, NumPy and R: tools/make_statistics_fixtures.py has the samples and says who answered what.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/statistics/bootstrap.h"
#include "phasor/statistics/correlation.h"
#include "phasor/statistics/effect.h"
#include "phasor/statistics/multiplicity.h"
#include "phasor/statistics/permutation.h"
#include "phasor/statistics/proportion.h"
#include "phasor/statistics/summary.h"
#include "support/paths.h"

namespace phasor::statistics {
namespace oracle_test {

using Json = nlohmann::ordered_json;
using Values = std::vector<double>;

constexpr double kUnit = std::numeric_limits<double>::epsilon();
// Some thousand roundings: closed forms of a few operations on samples of at most a hundred values.
constexpr double kClosedForm = 1e-12;

const Json& fixture() {
  static const Json kFile = Json::parse(read_file(std::string(fixtures_folder()) + "/statistics.json"));
  return kFile;
}

// The cases of a section; so many that none can go missing unseen.
const Json& cases(const std::string& section, size_t count) {
  const Json& list = fixture().at(section);
  EXPECT_EQ(list.size(), count) << section;
  return list;
}

Values numbers(const Json& entry, const std::string& key) { return entry.at(key).get<Values>(); }
double number(const Json& entry, const std::string& key) { return entry.at(key).get<double>(); }

double largest_size(const Values& values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

// What a mean of n values of this size loses, or the difference of two.
double rounding_of_mean(const Values& values) {
  return 4.0 * kUnit * static_cast<double>(values.size()) * largest_size(values);
}

// Shares of arrangements are quotients of the same whole numbers: equal bits, or a tie was miscounted.
template <class Test>
void expect_shares(const Json& entry, const Test& test) {
  const PermutationTest two_sided = test(Alternative::two_sided);
  EXPECT_TRUE(two_sided.exact);
  EXPECT_EQ(two_sided.arrangements, entry.at("arrangements").get<int64_t>());
  EXPECT_EQ(two_sided.p, number(entry, "by_size"));
  EXPECT_EQ(test(Alternative::greater).p, number(entry, "greater"));
  EXPECT_EQ(test(Alternative::less).p, number(entry, "less"));
  for (const Alternative alternative : {Alternative::two_sided, Alternative::greater, Alternative::less}) {
    EXPECT_GE(test(alternative).p, test(alternative).smallest_p);
  }
}

// SciPy's "two-sided" doubles the smaller tail, ours counts by size. Where every arrangement has a mirror image these
// are one number; where sizes differ they are not, and ours is SciPy's null distribution read by size.
TEST(Oracle, TwoSamplePermutations) {
  int unlike = 0;
  for (const Json& entry : cases("two_samples", 20)) {
    SCOPED_TRACE(entry.dump());
    const Values x = numbers(entry, "x");
    const Values y = numbers(entry, "y");
    expect_shares(entry, [&](Alternative way) { return permute_two_samples(x, y, {.alternative = way}); });
    const auto difference = [](Sample a, Sample b) { return mean(a) - mean(b); };
    expect_shares(entry, [&](Alternative way) { return permute_two_samples(x, y, difference, {.alternative = way}); });
    Values pooled = x;
    pooled.insert(pooled.end(), y.begin(), y.end());
    EXPECT_NEAR(permute_two_samples(x, y).statistic, number(entry, "statistic"), rounding_of_mean(pooled));
    if (x.size() == y.size()) {
      EXPECT_EQ(permute_two_samples(x, y).p, number(entry, "doubled"));
    } else {
      unlike += number(entry, "by_size") != number(entry, "doubled");
    }
  }
  EXPECT_GT(unlike, 0);
}

TEST(Oracle, SignsOfPairs) {
  for (const Json& entry : cases("pairs", 10)) {
    SCOPED_TRACE(entry.dump());
    const Values x = numbers(entry, "x");
    const Values y = numbers(entry, "y");
    Values differences = x;
    for (size_t i = 0; i < x.size(); ++i) differences[i] -= y[i];
    const PermutationTest test = flip_signs(differences);
    EXPECT_NEAR(test.statistic, number(entry, "statistic"), rounding_of_mean(x));
    expect_shares(entry, [&](Alternative way) { return flip_signs(differences, {.alternative = way}); });
    EXPECT_EQ(test.p, number(entry, "doubled"));
  }
}

CorrelationKind kind_of(const Json& entry) {
  return entry.at("kind") == "pearson" ? CorrelationKind::pearson : CorrelationKind::spearman;
}

TEST(Oracle, OrdersOfPairs) {
  for (const Json& entry : cases("orders", 11)) {
    SCOPED_TRACE(entry.dump());
    const Values x = numbers(entry, "x");
    const Values y = numbers(entry, "y");
    const CorrelationKind kind = kind_of(entry);
    const PermutationTest test = permute_correlation(kind, x, y);
    EXPECT_NEAR(test.statistic, number(entry, "statistic"), kClosedForm);
    const bool sorted = std::is_sorted(x.begin(), x.end()) && std::is_sorted(y.begin(), y.end());
    EXPECT_EQ(test.p == test.smallest_p, sorted);
    expect_shares(entry, [&](Alternative way) { return permute_correlation(kind, x, y, {.alternative = way}); });
  }
}

// One product and a running maximum: equal bits.
TEST(Oracle, Holm) {
  for (const Json& entry : cases("holm", 10)) EXPECT_EQ(holm(numbers(entry, "p")), numbers(entry, "adjusted"));
}

// Relative error of binomial probabilities: their logarithm is a sum with two log-gammas of about n, each good to its
// last digit.
double count_error(int64_t trials) {
  return std::max(kClosedForm, 4.0 * kUnit * std::lgamma(static_cast<double>(trials + 1)));
}

// R's qbeta is good to some roundings, SciPy's search for a root ends within 2e-12 of it.
TEST(Oracle, Proportions) {
  constexpr double kSearch = 2e-12;
  for (const Json& entry : cases("proportions", 46)) {
    SCOPED_TRACE(entry.dump());
    const auto successes = entry.at("successes").get<int64_t>();
    const auto trials = entry.at("trials").get<int64_t>();
    const double level = number(entry, "level");
    const Interval exact = clopper_pearson(successes, trials, level);
    const Values found = {exact.low, exact.high, clopper_pearson_lower(successes, trials, level),
                          clopper_pearson_upper(successes, trials, level)};
    const Values r = numbers(entry, "exact_r");
    const Values scipy = numbers(entry, "exact_scipy");
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], r[i], count_error(trials) * r[i]) << i;
      EXPECT_NEAR(found[i], scipy[i], kSearch + count_error(trials) * r[i]) << i;
    }
  }
}

// Down to p = 2e-200.
TEST(Oracle, McNemar) {
  for (const Json& entry : cases("mcnemar", 10)) {
    SCOPED_TRACE(entry.dump());
    const auto lost = entry.at("lost").get<int64_t>();
    const auto won = entry.at("won").get<int64_t>();
    const double p = number(entry, "p");
    EXPECT_NEAR(mcnemar(lost, won, 5000).p, p, count_error(lost + won) * p);
    EXPECT_NEAR(mcnemar(won, lost, 5000).p, p, count_error(lost + won) * p);
  }
}

TEST(Oracle, Correlations) {
  for (const Json& entry : cases("correlations", 6)) {
    SCOPED_TRACE(entry.dump());
    const Values x = numbers(entry, "x");
    const Values y = numbers(entry, "y");
    EXPECT_NEAR(correlation(CorrelationKind::pearson, x, y), number(entry, "pearson"), kClosedForm);
    EXPECT_NEAR(correlation(CorrelationKind::spearman, x, y), number(entry, "spearman"), kClosedForm);
  }
}

// R's qt is good to some roundings. SciPy 1.10's t.ppf is not: t(0.95, 4) is off by 2.3e-9 of itself.
void expect_interval(const MeanInterval& found, const Json& entry, double rounding) {
  const Values r = numbers(entry, "r");
  const Values scipy = numbers(entry, "scipy");
  const double width = r[1] - r[0];
  constexpr double kSciPy = 1e-8;
  EXPECT_NEAR(found.low, r[0], kClosedForm * width + rounding);
  EXPECT_NEAR(found.high, r[1], kClosedForm * width + rounding);
  EXPECT_NEAR(found.freedom, r[2], kClosedForm * r[2]);
  EXPECT_NEAR(found.low, scipy[0], kSciPy * width + rounding);
  EXPECT_NEAR(found.high, scipy[1], kSciPy * width + rounding);
  EXPECT_FALSE(found.degenerate);
}

TEST(Oracle, StudentsIntervals) {
  for (const Json& entry : cases("means", 8)) {
    SCOPED_TRACE(entry.dump());
    const Values x = numbers(entry, "x");
    expect_interval(mean_interval(x, number(entry, "level")), entry, rounding_of_mean(x));
  }
}

TEST(Oracle, WelchsIntervals) {
  for (const Json& entry : cases("mean_differences", 7)) {
    SCOPED_TRACE(entry.dump());
    const Values x = numbers(entry, "x");
    const Values y = numbers(entry, "y");
    expect_interval(mean_difference(x, y, number(entry, "level")), entry, rounding_of_mean(x) + rounding_of_mean(y));
  }
}

TEST(Oracle, Effects) {
  for (const Json& entry : cases("effects", 6)) {
    SCOPED_TRACE(entry.dump());
    const Values x = numbers(entry, "x");
    const Values y = numbers(entry, "y");
    EXPECT_EQ(cliffs_delta(x, y), number(entry, "cliffs_delta"));
  }
}

TEST(Oracle, Summaries) {
  for (const Json& entry : cases("summaries", 5)) {
    SCOPED_TRACE(entry.dump());
    const Values x = numbers(entry, "x");
    const double rounding = 4.0 * kUnit * largest_size(x);
    const Values probabilities = numbers(entry, "probabilities");
    const Values quantiles = numbers(entry, "quantiles");
    for (size_t i = 0; i < probabilities.size(); ++i) {
      EXPECT_NEAR(quantile(x, probabilities[i]), quantiles[i], rounding) << probabilities[i];
    }
    const Summary summary = summarize(x);
    const double variance = number(entry, "variance");
    EXPECT_NEAR(summary.mean, number(entry, "mean"), rounding_of_mean(x));
    EXPECT_NEAR(summary.deviation * summary.deviation, variance, kClosedForm * variance);
    EXPECT_NEAR(summary.median_absolute_deviation, number(entry, "median_absolute_deviation"), rounding);
  }
}

double difference_of_means(Sample x, Sample y) { return mean(x) - mean(y); }

BootstrapInterval interval_of(const Json& entry, const BootstrapOptions& options) {
  const auto samples = entry.at("samples").get<std::vector<Values>>();
  const std::string statistic = entry.at("statistic").get<std::string>();
  if (statistic == "mean_difference")
    return bootstrap_two_samples(samples[0], samples[1], difference_of_means, options);
  if (statistic == "pearson") return correlation_interval(CorrelationKind::pearson, samples[0], samples[1], options);
  if (statistic == "median") return bootstrap(samples[0], median, options);
  return bootstrap(samples[0], statistic == "deviation" ? standard_deviation : mean, options);
}

// The ranges are five Monte Carlo errors wide on either side, of our resamples and of SciPy's; where all resamples were
// enumerated, of ours alone. Class Ends of the script derives them.
TEST(Oracle, BootstrapIntervals) {
  const auto resamples = fixture().at("resamples").get<int64_t>();
  const std::vector<std::pair<std::string, BootstrapMethod>> methods = {{"percentile", BootstrapMethod::percentile},
                                                                        {"expanded", BootstrapMethod::expanded},
                                                                        {"bca", BootstrapMethod::bca}};
  for (const Json& entry : cases("bootstraps", 9)) {
    for (const auto& [name, method] : methods) {
      SCOPED_TRACE(name + " of " + entry.dump());
      const BootstrapInterval found = interval_of(entry, {.resamples = resamples, .seed = 5, .method = method});
      EXPECT_EQ(found.method, method);
      EXPECT_NEAR(found.estimate, number(entry, "estimate"), kClosedForm);
      const auto ranges = entry.at(name).get<std::vector<Values>>();
      EXPECT_GE(found.low, ranges[0][0] - kClosedForm);
      EXPECT_LE(found.low, ranges[0][1] + kClosedForm);
      EXPECT_GE(found.high, ranges[1][0] - kClosedForm);
      EXPECT_LE(found.high, ranges[1][1] + kClosedForm);
    }
  }
}

// A resample that is the sample in another order has the sample's mean but for the last digit. Which side that digit
// falls on must not move BCa's ends.
TEST(Oracle, RoundingDoesNotBreakTiesWithTheEstimate) {
  Resamples resamples{.estimate = 0.7, .influences = {-0.1, -0.1, 0.2}, .units = 5};
  for (int i = 0; i < 1000; ++i) resamples.values.push_back(i < 40 ? 0.7 : 0.001 * i);
  const BootstrapOptions options{.method = BootstrapMethod::bca};
  const BootstrapInterval tied = bootstrap_interval(resamples, options);
  for (const double away : {0.0, 1.0}) {
    std::fill_n(resamples.values.begin(), 40, std::nextafter(0.7, away));
    const BootstrapInterval found = bootstrap_interval(resamples, options);
    EXPECT_EQ(found.method, BootstrapMethod::bca);
    EXPECT_EQ(found.low, tied.low);
    EXPECT_EQ(found.high, tied.high);
  }
}

// Quotients of counts can be infinite. Two of four values are: quantiles below 2 / 3 of the way see them or do not.
TEST(Oracle, InfiniteStatisticsHaveQuantiles) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Values above = {1.0, 2.0, kInfinity, kInfinity};
  EXPECT_EQ(quantile_of_sorted(above, 1.0 / 3.0), 2.0);
  EXPECT_EQ(quantile_of_sorted(above, 0.4), kInfinity);
  EXPECT_EQ(quantile_of_sorted(above, 0.9), kInfinity);
  EXPECT_EQ(quantile_of_sorted(above, 1.0), kInfinity);
  const Values below = {-kInfinity, -kInfinity, 1.0, 2.0};
  EXPECT_EQ(quantile_of_sorted(below, 0.1), -kInfinity);
  EXPECT_EQ(quantile_of_sorted(below, 0.6), -kInfinity);
  EXPECT_EQ(quantile_of_sorted(below, 2.0 / 3.0), 1.0);
  const Statistic quotient = [](Sample sample) { return 1.0 / *std::min_element(sample.begin(), sample.end()); };
  for (const BootstrapMethod method : {BootstrapMethod::percentile, BootstrapMethod::expanded, BootstrapMethod::bca}) {
    const BootstrapInterval found = bootstrap(Values{0.0, 1.0, 2.0, 3.0}, quotient, {.method = method});
    EXPECT_EQ(found.estimate, kInfinity);
    EXPECT_LE(found.low, 1.0);
    EXPECT_EQ(found.high, kInfinity);
  }
}

// Drawn arrangements need not meet the observed one: that it has no value must be noticed all the same.
TEST(Oracle, PermutationsOfAnUndefinedStatisticAreRefused) {
  const Values x = {1.0, 2.0, 3.0};
  const Values y = {4.0, 5.0, 6.0};
  const auto undefined_as_observed = [&](Sample a, Sample) { return a[0] + a[1] + a[2] == 6.0 ? std::nan("") : 1.0; };
  EXPECT_THROW(permute_two_samples(x, y, undefined_as_observed, {.most_exact = 0, .draws = 1}), Error);
}

}  // namespace oracle_test
}  // namespace phasor::statistics
