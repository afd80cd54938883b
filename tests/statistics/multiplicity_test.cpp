#include "phasor/statistics/multiplicity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "phasor/random/distributions.h"
#include "statistics/bad_sample.h"

namespace phasor::statistics {
namespace multiplicity_test {

// Steps 3 * 0.01, 2 * 0.02, then 0.03 lifted to its predecessor.
TEST(Holm, HasItsClosedForm) {
  const std::vector<double> adjusted = holm(std::vector{0.03, 0.01, 0.02});
  EXPECT_DOUBLE_EQ(adjusted[0], 0.04);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.03);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.04);
  EXPECT_EQ(holm(std::vector{0.2}), std::vector{0.2});
  EXPECT_EQ(holm(std::vector{0.5, 0.6, 0.9}), (std::vector{1.0, 1.0, 1.0}));
  EXPECT_EQ(holm(std::vector{0.0, 1.0}), (std::vector{0.0, 1.0}));
}

TEST(Holm, RefusesBadInput) {
  expect_refuses_bad_samples(holm);
  EXPECT_THROW(holm(std::vector{0.5, 1.1}), Error);
  EXPECT_THROW(holm(std::vector{-0.1}), Error);
}

// Four draws of three hypotheses, by hand: the strongest against the maximum of all three, the next against that of the
// two weaker ones, the last against its own.
TEST(MaxT, StepsDown) {
  JointDraws joint{.observed = {2.0, -5.0, 1.0},
                   .draws = {3.0, 1.0, 0.0,   //
                             0.5, -6.0, 1.5,  //
                             1.0, 2.0, -2.5,  //
                             0.1, 0.2, 0.3}};
  const std::vector<double> adjusted = max_t(joint);
  EXPECT_DOUBLE_EQ(adjusted[1], 2.0 / 5);  // 6 alone reaches 5
  EXPECT_DOUBLE_EQ(adjusted[0], 3.0 / 5);  // 3 and 2.5 reach 2
  EXPECT_DOUBLE_EQ(adjusted[2], 3.0 / 5);  // 1.5 and 2.5 reach 1
  const std::vector<double> greater = max_t(joint, Alternative::greater);
  EXPECT_DOUBLE_EQ(greater[0], 3.0 / 5);  // 3 and hypothesis 1's own 2 reach 2
  EXPECT_DOUBLE_EQ(greater[1], 4.0 / 5);  // all but -6 reach -5
  joint.exact = true;                     // no draw to add
  EXPECT_DOUBLE_EQ(max_t(joint)[1], 1.0 / 4);
}

TEST(MaxT, OfOneHypothesisIsThePlainTest) {
  const std::vector<double> d = {0.3, -0.1, 0.5, 0.2, 0.4, 0.7, -0.05, 0.6};
  const std::vector<std::vector<double>> one = {d};
  EXPECT_EQ(max_t(flip_signs_jointly(one))[0], flip_signs(d).p);
  const PermutationOptions drawn{.most_exact = 10, .draws = 999, .seed = 6};
  EXPECT_EQ(max_t(flip_signs_jointly(one, drawn))[0], flip_signs(d, drawn).p);
}

// Copies of one hypothesis cost nothing under max-T and the number of copies under Holm.
TEST(MaxT, KnowsWhatHypothesesHaveInCommon) {
  const std::vector<double> d = {0.3, -0.1, 0.5, 0.2, 0.4, 0.7, -0.05, 0.6};
  const std::vector<std::vector<double>> copies(10, d);
  const double plain = flip_signs(d).p;
  for (const double p : max_t(flip_signs_jointly(copies))) EXPECT_EQ(p, plain);
  EXPECT_EQ(holm(std::vector(10, plain))[0], 10.0 * plain);
}

// Under the null of all hypotheses at most 5 % of families have any adjusted p <= 0.05, for both corrections.
TEST(Multiplicity, KeepsTheFamilywiseLevel) {
  constexpr uint32_t kFamilies = 400;
  constexpr size_t kHypotheses = 6;
  int rejected_max_t = 0;
  int rejected_holm = 0;
  int rejected_uncorrected = 0;
  for (uint32_t family = 0; family < kFamilies; ++family) {
    const RandomStream stream{.seed = 21, .purpose = Purpose::test, .step = family};
    std::vector<std::vector<double>> columns(kHypotheses, std::vector<double>(8));
    std::vector<double> p;
    for (size_t h = 0; h < kHypotheses; ++h) {
      for (size_t i = 0; i < 8; ++i) columns[h][i] = normal(stream, 8 * h + i) + 2.0 * normal(stream, 1000 + i);
      p.push_back(flip_signs(columns[h]).p);
    }
    const auto any = [](const std::vector<double>& values) {
      return *std::min_element(values.begin(), values.end()) <= 0.05;
    };
    rejected_uncorrected += any(p);
    rejected_holm += any(holm(p));
    rejected_max_t += any(max_t(flip_signs_jointly(columns)));
  }
  const double most = kFamilies * 0.05 + 4.0 * std::sqrt(kFamilies * 0.05 * 0.95);
  EXPECT_LE(rejected_max_t, most);
  EXPECT_LE(rejected_holm, most);
  EXPECT_GT(rejected_max_t, rejected_holm);
  EXPECT_GT(rejected_uncorrected, most);
}

TEST(MaxT, RefusesBadInput) {
  EXPECT_THROW(max_t({}), Error);
  EXPECT_THROW(max_t({.observed = {1.0, 2.0}, .draws = {}}), Error);
  EXPECT_THROW(max_t({.observed = {1.0, 2.0}, .draws = {1.0, 2.0, 3.0}}), Error);
  EXPECT_THROW(max_t({.observed = {std::nan("")}, .draws = {1.0}}), Error);
}

}  // namespace multiplicity_test
}  // namespace phasor::statistics
