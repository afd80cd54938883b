#include "phasor/statistics/mean_difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "phasor/statistics/effect.h"
#include "statistics/bad_sample.h"

namespace phasor::statistics {
namespace mean_difference_test {

using enum DifferenceReading;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<double> kA = {0.91, 0.94, 0.88, 0.97};
const std::vector<double> kB = {0.85, 0.90, 0.80, 0.83, 0.89};
constexpr double kStudent4 = 2.7764451051977987;  // scipy.stats.t.ppf(0.975, 4)
const double kStudent2 = 0.95 / std::sqrt(2.0 * 0.975 * 0.025);

// numpy, with Student's quantile from scipy.special.betaincinv at Welch's degrees of freedom; p by
// scipy.stats.ttest_ind(a, b, equal_var=False); SciPy 1.10.1.
TEST(MeanDifference, WithoutAFloorIsWelchs) {
  const MeanDifference found = compare_means({kA}, {kB});
  EXPECT_NEAR(found.difference, 0.07100000000000017, 1e-15);
  EXPECT_NEAR(found.low, 0.007063353240050016, 1e-14);
  EXPECT_NEAR(found.high, 0.13493664675995032, 1e-14);
  EXPECT_NEAR(found.freedom, 6.7684104994531555, 1e-12);
  EXPECT_EQ(found.fewest, 4);
  EXPECT_TRUE(found.decides() && found.significant());
  const MeanDifference turned = compare_means({kB}, {kA});
  EXPECT_EQ(turned.low, -found.high);
  EXPECT_EQ(turned.p, found.p);
}

// p is at most 1 - level where the interval excludes 0, at any level: they are one test.
TEST(MeanDifference, TheIntervalAndItsPAreOneTest) {
  const double p = compare_means({kA}, {kB}).p;
  EXPECT_NEAR(compare_means({kA}, {kB}, 1.0 - p).low, 0.0, 1e-13);
  EXPECT_FALSE(compare_means({kA}, {kB}, 1.0 - 0.99 * p).significant());
  EXPECT_TRUE(compare_means({kA}, {kB}, 1.0 - 1.01 * p).significant());
}

// Three runs each with a floor of 1e-4 on the variance of their means: 4 degrees of freedom.
TEST(MeanDifference, TheFloorHoldsWhereRunsAreAlike) {
  const std::vector<double> x(3, 1.0), y(3, 0.9);
  const MeanDifference found = compare_means({x, 1e-4}, {y, 1e-4});
  EXPECT_NEAR(found.freedom, 4.0, 1e-13);
  EXPECT_NEAR(found.high - found.difference, kStudent4 * std::sqrt(2e-4), 1e-12);
  EXPECT_FALSE(found.degenerate);
  EXPECT_TRUE(found.significant());
  // One side alone: 2.
  const MeanDifference one = compare_means({x, 1e-4}, {y});
  EXPECT_NEAR(one.freedom, 2.0, 1e-13);
  EXPECT_NEAR(one.high - one.difference, kStudent2 * 0.01, 1e-12);
  // Where runs scatter more than that, it says nothing.
  EXPECT_EQ(compare_means({kA, 1e-6}, {kB, 1e-6}).low, compare_means({kA}, {kB}).low);
}

// (4096 + 1) / (4096 + 2) of all answers: 0.024 points.
TEST(MeanDifference, TheFloorOfAccuraciesIsBinomial) {
  const double miss = 1.0 / 4098.0;
  EXPECT_NEAR(accuracy_variance_floor(1.0, 4096), miss * (1.0 - miss) / 4096.0, 1e-20);
  EXPECT_NEAR(std::sqrt(accuracy_variance_floor(1.0, 4096)), 0.000244, 1e-6);
  EXPECT_NEAR(accuracy_variance_floor(0.5, 100), 0.25 / 100.0, 1e-15);
  EXPECT_EQ(accuracy_variance_floor(0.5, 0), 0.0);
  EXPECT_THROW(accuracy_variance_floor(1.1, 10), Error);
  EXPECT_THROW(accuracy_variance_floor(std::nan(""), 10), Error);
  EXPECT_THROW(accuracy_variance_floor(0.5, -1), Error);
}

MeanDifference of_accuracies(const std::vector<double>& x, const std::vector<double>& y) {
  const auto floor = [](const std::vector<double>& values) { return accuracy_variance_floor(values[0], 3 * 4096); };
  return compare_means({x, floor(x)}, {y, floor(y)});
}

TEST(MeanDifference, ReadsAsPeopleWould) {
  constexpr double kPoint = 0.01;
  EXPECT_EQ(read(of_accuracies({1.0, 1.0, 1.0}, {0.135, 0.146, 0.136}), kPoint), of_interest) << "86 points";
  EXPECT_EQ(read(of_accuracies({0.135, 0.146, 0.136}, {1.0, 1.0, 1.0}), kPoint), of_interest) << "the other way round";
  EXPECT_EQ(read(of_accuracies({1.0, 1.0, 1.0}, {0.996, 0.996, 0.996}), kPoint), not_of_interest);
  EXPECT_TRUE(of_accuracies({1.0, 1.0, 1.0}, {0.996, 0.996, 0.996}).significant()) << "and yet surely not 0";
  EXPECT_EQ(read(of_accuracies({1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}), kPoint), not_of_interest);
  EXPECT_EQ(read(of_accuracies({0.95, 0.951, 0.952}, {0.938, 0.937, 0.936}), kPoint), significant) << "about a point";
  EXPECT_EQ(read(of_accuracies({0.95, 0.85, 0.99}, {0.9, 0.8, 0.7}), kPoint), open);
}

TEST(MeanDifference, FewerThanThreeRunsDecideNothing) {
  const std::vector<double> x = {1.0, 1.0}, y = {0.1, 0.1, 0.1}, one = {1.0};
  EXPECT_EQ(read(of_accuracies(x, y), 0.01), open);
  EXPECT_FALSE(of_accuracies(x, y).significant());
  const MeanDifference unbounded = compare_means({one}, {y});
  EXPECT_EQ(unbounded.low, -kInfinity);
  EXPECT_EQ(unbounded.high, kInfinity);
  EXPECT_EQ(unbounded.p, 1.0);
  EXPECT_EQ(read(unbounded, 0.01), open);
}

// Without spread and without a floor there is nothing to judge by.
TEST(MeanDifference, APointIsNoEvidence) {
  const std::vector<double> x(5, 2.0), y(5, 1.0);
  const MeanDifference found = compare_means({x}, {y});
  EXPECT_TRUE(found.degenerate);
  EXPECT_EQ(found.low, 1.0);
  EXPECT_EQ(found.high, 1.0);
  EXPECT_FALSE(found.significant());
  EXPECT_EQ(read(found, 0.1), open);
}

TEST(MeanDifference, EndsStayWithinWhatIsPossibleAndUnitsChange) {
  const MeanDifference found = compare_means({std::vector{1.0, 0.9, 0.2}}, {std::vector{0.0, 0.1, 0.3}});
  ASSERT_GT(found.high, 1.0);
  EXPECT_EQ(found.within(-1.0, 1.0).high, 1.0);
  EXPECT_EQ(found.within(-1.0, 1.0).low, found.low);
  const MeanDifference points = found.scaled(100.0);
  EXPECT_EQ(points.difference, 100.0 * found.difference);
  EXPECT_EQ(points.low, 100.0 * found.low);
  EXPECT_EQ(points.p, found.p);
  EXPECT_THROW(found.scaled(0.0), Error);
}

TEST(MeanDifference, OfOneSampleIsStudents) {
  const MeanDifference found = mean_of_runs({kA});
  const MeanInterval expected = mean_interval(kA);
  EXPECT_EQ(found.difference, expected.estimate);
  EXPECT_NEAR(found.low, expected.low, 1e-15);
  EXPECT_NEAR(found.high, expected.high, 1e-15);
  EXPECT_EQ(mean_of_runs({std::vector{0.5}}).high, kInfinity);
  EXPECT_NEAR(mean_of_runs({std::vector(3, 0.5), 1e-4}).high, 0.5 + kStudent2 * 0.01, 1e-12);
}

TEST(MeanDifference, ReadingsHaveNames) {
  EXPECT_EQ(name(of_interest), "of interest");
  EXPECT_EQ(name(significant), "significant");
  EXPECT_EQ(name(not_of_interest), "no difference of interest");
  EXPECT_EQ(name(open), "open");
}

TEST(MeanDifference, RefusesBadInput) {
  expect_refuses_bad_samples([](Sample sample) { return compare_means({sample}, {kA}); });
  expect_refuses_bad_samples([](Sample sample) { return compare_means({kA}, {sample}); });
  expect_refuses_bad_samples([](Sample sample) { return mean_of_runs({sample}); });
  EXPECT_THROW(compare_means({kA, -1.0}, {kB}), Error);
  EXPECT_THROW(compare_means({kA, kInfinity}, {kB}), Error);
  EXPECT_THROW(compare_means({kA}, {kB}, 1.0), Error);
  EXPECT_THROW(read(compare_means({kA}, {kB}), -0.1), Error);
}

}  // namespace mean_difference_test
}  // namespace phasor::statistics
