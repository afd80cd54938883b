#include "phasor/statistics/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "statistics/bad_sample.h"

namespace phasor::statistics {
namespace summary_test {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
const std::vector<double> kValues = {3.1, -1.2, 4.4, 0.3, 2.2, 2.2, 7.5};

// numpy.quantile, numpy.std(ddof=1), scipy.stats.median_abs_deviation (NumPy 1.24.2, SciPy 1.10.1).
TEST(Summary, AgreesWithNumpy) {
  const double bound = 8.0 * 7.5 * kEpsilon * static_cast<double>(kValues.size());
  EXPECT_NEAR(mean(kValues), 2.642857142857143, bound);
  EXPECT_NEAR(standard_deviation(kValues), 2.814757030874449, bound);
  EXPECT_NEAR(median_absolute_deviation(kValues), 1.9000000000000001, bound);
  EXPECT_NEAR(quantile(kValues, 0.1), -0.2999999999999999, bound);
  EXPECT_NEAR(quantile(kValues, 0.25), 1.25, bound);
  EXPECT_NEAR(quantile(kValues, 0.9), 5.6400000000000015, bound);
  EXPECT_EQ(median(kValues), 2.2);
  EXPECT_EQ(quantile(kValues, 0.0), -1.2);
  EXPECT_EQ(quantile(kValues, 1.0), 7.5);
  const Summary summary = summarize(kValues);
  EXPECT_EQ(summary.count, 7);
  EXPECT_EQ(summary.mean, mean(kValues));
  EXPECT_EQ(summary.deviation, standard_deviation(kValues));
  EXPECT_EQ(summary.median, 2.2);
  EXPECT_EQ(summary.upper_quartile, quantile(kValues, 0.75));
  EXPECT_EQ(summary.median_absolute_deviation, median_absolute_deviation(kValues));
}

TEST(Summary, MedianOfAnEvenCountIsTheMiddle) { EXPECT_EQ(median(std::vector{4.0, 1.0, 2.0, 8.0}), 3.0); }

// 1/10 summed up and divided is not 1/10; still a constant sample must look constant.
TEST(Summary, EqualValuesHaveExactlyNoSpread) {
  const std::vector<double> equal(11, 0.1);
  EXPECT_EQ(mean(equal), 0.1);
  EXPECT_EQ(variance(equal), 0.0);
  EXPECT_EQ(median_absolute_deviation(equal), 0.0);
}

TEST(Summary, AnOffsetCostsNoSpread) {
  const std::vector<double> values = {1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0, 1e9 + 4.0};  // exact in double
  EXPECT_NEAR(variance(values), 5.0 / 3.0, 8.0 * kEpsilon);
}

TEST(Summary, OneValueHasNoDeviation) {
  const Summary summary = summarize(std::vector{2.5});
  EXPECT_EQ(summary.mean, 2.5);
  EXPECT_EQ(summary.median, 2.5);
  EXPECT_TRUE(std::isnan(summary.deviation));
}

TEST(Summary, RefusesBadInput) {
  expect_refuses_bad_samples(mean);
  expect_refuses_bad_samples(median);
  expect_refuses_bad_samples(variance);
  expect_refuses_bad_samples(median_absolute_deviation);
  expect_refuses_bad_samples(summarize);
  expect_refuses_bad_samples([](Sample sample) { return quantile(sample, 0.5); });
  EXPECT_THROW(quantile(kValues, 1.1), Error);
  EXPECT_THROW(quantile(kValues, std::nan("")), Error);
}

}  // namespace summary_test
}  // namespace phasor::statistics
