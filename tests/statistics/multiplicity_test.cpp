#include "phasor/statistics/multiplicity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "phasor/random/distributions.h"
#include "phasor/statistics/permutation.h"
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

// Under the null of all hypotheses at most 5 % of families have any adjusted p <= 0.05.
TEST(Multiplicity, KeepsTheFamilywiseLevel) {
  constexpr uint32_t kFamilies = 400;
  constexpr size_t kHypotheses = 6;
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
  }
  const double most = kFamilies * 0.05 + 4.0 * std::sqrt(kFamilies * 0.05 * 0.95);
  EXPECT_LE(rejected_holm, most);
  EXPECT_GT(rejected_uncorrected, most);
}

}  // namespace multiplicity_test
}  // namespace phasor::statistics
