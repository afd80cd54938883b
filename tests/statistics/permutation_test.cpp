#include "phasor/statistics/permutation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "phasor/statistics/summary.h"
#include "statistics/bad_sample.h"

namespace phasor::statistics {
namespace permutation_test {

// All of x above all of y.
PermutationTest separated(int x, int y, const PermutationOptions& options = {}) {
  std::vector<double> high;
  std::vector<double> low;
  for (int i = 0; i < x; ++i) high.push_back(10.0 + 0.1 * i);
  for (int i = 0; i < y; ++i) low.push_back(0.3 * i);
  return permute_two_samples(high, low, options);
}

TEST(TwoSamplePermutation, OfSeparatedSamplesGivesTheSmallestP) {
  EXPECT_EQ(separated(5, 5).p, 2.0 / 252);
  EXPECT_EQ(separated(4, 4).p, 2.0 / 70);
  EXPECT_EQ(separated(3, 3).p, 2.0 / 20);
  EXPECT_EQ(separated(1, 1).p, 1.0);
  EXPECT_EQ(separated(5, 5, {.alternative = Alternative::greater}).p, 1.0 / 252);
  EXPECT_EQ(separated(5, 5, {.alternative = Alternative::less}).p, 1.0);
  EXPECT_EQ(separated(2, 5).p, 1.0 / 21);  // no mirror image with unequal sizes
  EXPECT_EQ(separated(10, 10).p, 2.0 / 184756);
  for (const int n : {3, 4, 5, 10}) {
    const PermutationTest test = separated(n, n);
    EXPECT_TRUE(test.exact);
    EXPECT_EQ(test.p, test.smallest_p) << n;
    EXPECT_EQ(test.p_range, (Interval{test.p, test.p}));
  }
}

// scipy.stats.permutation_test((a, b), mean difference, n_resamples=inf, alternative=...), SciPy 1.10.1.
TEST(TwoSamplePermutation, AgreesWithScipy) {
  const std::vector<double> a = {0.91, 0.94, 0.88, 0.97};
  const std::vector<double> b = {0.85, 0.90, 0.80, 0.83, 0.89};
  const PermutationTest greater = permute_two_samples(a, b, {.alternative = Alternative::greater});
  EXPECT_NEAR(greater.statistic, 0.071, 1e-15);
  EXPECT_DOUBLE_EQ(greater.p, 0.031746031746031744);
  EXPECT_EQ(greater.arrangements, 126);
  EXPECT_DOUBLE_EQ(permute_two_samples(a, b, {.alternative = Alternative::less}).p, 0.9841269841269841);
  // The same by a statistic of one's own.
  const auto difference = [](Sample x, Sample y) { return mean(x) - mean(y); };
  EXPECT_EQ(permute_two_samples(a, b, difference, {.alternative = Alternative::greater}).p, greater.p);
  EXPECT_EQ(permute_two_samples(a, b, difference).p, permute_two_samples(a, b).p);
}

// Sums of tenths in another order differ in their last bits: ties must still count. Three of {1 1 2 2 3 3} tenths sum
// up to 7 or more in six ways, {1 3 3}, {2 2 3} and {2 3 3} twice each, and to 5 or less in as many.
TEST(TwoSamplePermutation, CountsTiesInSpiteOfRounding) {
  const std::vector<double> x = {0.1, 0.3, 0.3};
  const std::vector<double> y = {0.2, 0.1, 0.2};
  EXPECT_EQ(permute_two_samples(x, y).p, 12.0 / 20);
  EXPECT_EQ(permute_two_samples(x, x).p, 1.0);
}

TEST(TwoSamplePermutation, DoesNotSeeACommonOffset) {
  const std::vector<double> x = {1.0, 2.0, 4.0, 4.0};
  const std::vector<double> y = {0.0, 1.0, 1.0, 3.0};
  std::vector<double> far_x = x;
  std::vector<double> far_y = y;
  for (double& value : far_x) value += 1e9;
  for (double& value : far_y) value += 1e9;
  EXPECT_EQ(permute_two_samples(x, y).p, permute_two_samples(far_x, far_y).p);
}

TEST(TwoSamplePermutation, DrawnFindsTheExactPWithinItsRange) {
  const std::vector<double> x = {0.3, 1.2, 0.9, 2.0, 1.4, 1.1};
  const std::vector<double> y = {0.1, 0.7, 0.2, 1.3, 0.8, 0.4};
  const double exact = permute_two_samples(x, y).p;
  const PermutationTest drawn = permute_two_samples(x, y, {.most_exact = 100, .draws = 50'000, .seed = 3});
  EXPECT_FALSE(drawn.exact);
  EXPECT_EQ(drawn.arrangements, 50'000);
  EXPECT_LE(drawn.p_range.low, exact);
  EXPECT_GE(drawn.p_range.high, exact);
  EXPECT_LT(drawn.p_range.high - drawn.p_range.low, 0.01);
  EXPECT_EQ(drawn.p, permute_two_samples(x, y, {.most_exact = 100, .draws = 50'000, .seed = 3}).p);
  EXPECT_NE(drawn.p, permute_two_samples(x, y, {.most_exact = 100, .draws = 50'000, .seed = 4}).p);
}

TEST(TwoSamplePermutation, DrawnNeverReachesZero) {
  const PermutationTest test = separated(30, 30, {.draws = 999});
  EXPECT_EQ(test.p, 1.0 / 1000);
  EXPECT_EQ(test.smallest_p, 1.0 / 1000);
  EXPECT_EQ(test.p_range.low, 0.0);
  EXPECT_NEAR(test.p_range.high, 1.0 - std::pow(0.005, 1.0 / 999), 1e-12);  // none of 999, two-sided 99 %
}

TEST(TwoSamplePermutation, OfEqualValuesRejectsNothing) {
  const std::vector<double> equal(4, 0.7);
  EXPECT_EQ(permute_two_samples(equal, equal).p, 1.0);
}

// scipy.stats.permutation_test((d,), mean, permutation_type="samples", n_resamples=inf): 8 of 256; SciPy 1.10.1.
TEST(SignFlips, AgreeWithScipy) {
  const std::vector<double> d = {0.3, -0.1, 0.5, 0.2, 0.4, 0.7, -0.05, 0.6};
  const PermutationTest test = flip_signs(d);
  EXPECT_EQ(test.p, 8.0 / 256);
  EXPECT_EQ(test.arrangements, 256);
  EXPECT_NEAR(test.statistic, 0.31875, 1e-16);
}

TEST(SignFlips, OfOneSignGiveTheSmallestP) {
  const std::vector<double> five = {0.1, 0.2, 0.3, 0.4, 0.5};
  EXPECT_EQ(flip_signs(five).p, 2.0 / 32);
  EXPECT_EQ(flip_signs(five).smallest_p, 2.0 / 32);
  EXPECT_EQ(flip_signs(five, {.alternative = Alternative::greater}).p, 1.0 / 32);
  EXPECT_EQ(flip_signs(five, {.alternative = Alternative::less}).p, 1.0);
  EXPECT_EQ(flip_signs(std::vector{3.0}).p, 1.0);
  EXPECT_EQ(flip_signs(std::vector(6, 0.0)).p, 1.0);
}

TEST(SignFlips, DrawnFindTheExactPWithinTheirRange) {
  const std::vector<double> d = {0.3, -0.1, 0.5, 0.2, -0.4, 0.7, -0.05, 0.6, 0.1, -0.2};
  const double exact = flip_signs(d).p;
  const PermutationTest drawn = flip_signs(d, {.most_exact = 10, .draws = 50'000, .seed = 1});
  EXPECT_LE(drawn.p_range.low, exact);
  EXPECT_GE(drawn.p_range.high, exact);
  const PermutationTest many = flip_signs(std::vector(300, 1.0), {.draws = 99});  // more signs than one block has
  EXPECT_EQ(many.p, 0.01);
}

// Signs must be fair and unrelated between examples, also beyond the 128 of a block: with a difference of 1 in one
// example half of all draws leave it as it is, with two such examples a quarter leaves both.
TEST(SignFlips, DrawnSignsAreIndependent) {
  constexpr size_t kExamples = 200;
  constexpr int64_t kDraws = 10'000;
  const std::vector<size_t> examples = {0, 15, 31, 32, 127, 128, 199};
  for (const size_t a : examples) {
    for (const size_t b : examples) {
      std::vector<double> differences(kExamples, 0.0);
      differences[a] = differences[b] = 1.0;
      const double share = a == b ? 0.5 : 0.25;
      const double p = flip_signs(differences, {.alternative = Alternative::greater, .draws = kDraws}).p;
      EXPECT_NEAR(p, share, 5.0 * std::sqrt(share * (1.0 - share) / kDraws) + 1.0 / kDraws) << a << " " << b;
    }
  }
}

TEST(Permutation, SmallestPs) {
  EXPECT_EQ(smallest_p_two_samples(5, 5), 2.0 / 252);
  EXPECT_EQ(smallest_p_two_samples(3, 3), 0.1);
  EXPECT_EQ(smallest_p_two_samples(3, 4), 1.0 / 35);
  EXPECT_EQ(smallest_p_two_samples(5, 5, Alternative::greater), 1.0 / 252);
  EXPECT_EQ(smallest_p_signs(5), 1.0 / 16);
  EXPECT_EQ(smallest_p_signs(5, Alternative::less), 1.0 / 32);
  EXPECT_EQ(smallest_p_signs(5000), 0.0);  // below the smallest double
}

TEST(Permutation, RefusesBadInput) {
  const std::vector<double> good = {1.0, 2.0};
  expect_refuses_bad_samples([&](Sample sample) { return permute_two_samples(sample, good); });
  expect_refuses_bad_samples([&](Sample sample) { return permute_two_samples(good, sample); });
  expect_refuses_bad_samples([](Sample sample) { return flip_signs(sample); });
  const auto undefined = [](Sample, Sample) { return std::nan(""); };
  EXPECT_THROW(permute_two_samples(good, good, undefined), Error);
  EXPECT_THROW(permute_two_samples(good, good, {.draws = 0}), Error);
  EXPECT_THROW(flip_signs(good, {.most_exact = -1}), Error);
  EXPECT_THROW(smallest_p_two_samples(0, 5), Error);
  EXPECT_THROW(smallest_p_signs(0), Error);
}

}  // namespace permutation_test
}  // namespace phasor::statistics
