#include "phasor/statistics/concentration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "phasor/random/distributions.h"
#include "statistics/bad_sample.h"

namespace phasor::statistics {
namespace concentration_test {

constexpr double kBound = 64.0 * std::numeric_limits<double>::epsilon();

TEST(Concentration, OfOneHeadIsComplete) {
  const Concentration result = concentration(std::vector{0.0, 0.0, 0.7, 0.0});
  EXPECT_TRUE(result.defined);
  EXPECT_EQ(result.top, 2);
  EXPECT_EQ(result.max_share, 1.0);
  EXPECT_EQ(result.dominance, 1.0);
  EXPECT_EQ(result.dominance_ratio, std::numeric_limits<double>::infinity());
  EXPECT_NEAR(result.gini, 3.0 / 4, kBound);
  EXPECT_NEAR(result.gini_normalised, 1.0, kBound);
  EXPECT_EQ(result.entropy, 0.0);
  EXPECT_EQ(result.n1, 1.0);
  EXPECT_EQ(result.n2, 1.0);
  EXPECT_EQ(result.concentration, 1.0);
}

TEST(Concentration, OfEqualHeadsIsNone) {
  const Concentration result = concentration(std::vector(5, 0.3));
  EXPECT_NEAR(result.max_share, 0.2, kBound);
  EXPECT_EQ(result.dominance, 0.0);
  EXPECT_EQ(result.dominance_ratio, 1.0);
  EXPECT_NEAR(result.gini, 0.0, kBound);
  EXPECT_NEAR(result.n1, 5.0, kBound);
  EXPECT_NEAR(result.n2, 5.0, kBound);
  EXPECT_NEAR(result.concentration, 0.0, kBound);
}

// Shares 1/2, 1/4, 1/8, 1/8: entropy 7/4 ln 2; Gini (-3 + -1 + 2 + 12) / 8 / 4 with the shares ascending.
TEST(Concentration, OfHalvesHasItsClosedForm) {
  const Concentration result = concentration(std::vector{1.0, 4.0, 1.0, 2.0});
  EXPECT_EQ(result.top, 1);
  EXPECT_EQ(result.max_share, 0.5);
  EXPECT_EQ(result.dominance, 0.25);
  EXPECT_EQ(result.dominance_ratio, 2.0);
  EXPECT_NEAR(result.gini, 10.0 / 32, kBound);
  EXPECT_NEAR(result.gini_normalised, 10.0 / 24, kBound);
  EXPECT_NEAR(result.entropy, 1.75 * std::log(2.0), kBound);
  EXPECT_NEAR(result.n1, std::pow(2.0, 1.75), kBound);
  EXPECT_NEAR(result.n2, 64.0 / 22, kBound);
  EXPECT_NEAR(result.concentration, (4.0 - std::pow(2.0, 1.75)) / 3.0, kBound);
}

TEST(Concentration, NegativeDropsCarryNothing) {
  const Concentration clipped = concentration(std::vector{-5.0, 3.0, -0.1, 1.0});
  const Concentration zeros = concentration(std::vector{0.0, 3.0, 0.0, 1.0});
  EXPECT_EQ(clipped.shares, zeros.shares);
  EXPECT_EQ(clipped.max_share, 0.75);
  EXPECT_EQ(clipped.n1, zeros.n1);
}

TEST(Concentration, IsUndefinedWithoutAPositiveDrop) {
  for (const std::vector<double>& drops : {std::vector<double>{0.0, 0.0}, std::vector<double>{-1.0, -2.0, 0.0}}) {
    const Concentration result = concentration(drops);
    EXPECT_FALSE(result.defined);
    EXPECT_TRUE(result.shares.empty());
    EXPECT_EQ(result.top, -1);
    for (const double number : {result.max_share, result.dominance, result.gini, result.n1, result.n2}) {
      EXPECT_TRUE(std::isnan(number));
    }
  }
}

TEST(Concentration, OfASingleHeadHasNoScale) {
  const Concentration result = concentration(std::vector{0.4});
  EXPECT_EQ(result.max_share, 1.0);
  EXPECT_EQ(result.n1, 1.0);
  EXPECT_TRUE(std::isnan(result.gini_normalised));
  EXPECT_TRUE(std::isnan(result.concentration));
}

TEST(Concentration, DoesNotDependOnTheUnit) {
  const Concentration result = concentration(std::vector{1e-320, 3e-320});
  EXPECT_NEAR(result.max_share, 0.75, 1e-3);  // subnormal drops have few digits
  const Concentration large = concentration(std::vector{1e308, 1.5e308, 1e308});
  EXPECT_NEAR(large.max_share, 1.5 / 3.5, kBound);
}

// Noise alone: known means of the max share are 0.500 for 8 heads and 0.296 for 16 (20,000 draws of another program).
TEST(Concentration, OfClippedNoiseIsHighByItself) {
  struct Row {
    size_t heads;
    double mean_share;
  };
  for (const Row& row : {Row{8, 0.500}, Row{16, 0.296}}) {
    constexpr uint32_t kCases = 4000;
    double sum = 0.0;
    double squares = 0.0;
    for (uint32_t i = 0; i < kCases; ++i) {
      const RandomStream stream{
          .seed = 5, .purpose = Purpose::test, .site = static_cast<uint32_t>(row.heads), .step = i};
      std::vector<double> drops(row.heads);
      for (size_t h = 0; h < row.heads; ++h) drops[h] = normal(stream, h);
      const Concentration result = concentration(drops);
      if (!result.defined) continue;  // 2^-8 of the cases
      sum += result.max_share;
      squares += result.max_share * result.max_share;
    }
    const double mean = sum / kCases;
    const double error = std::sqrt((squares / kCases - mean * mean) * (1.0 / kCases + 1.0 / 20000));
    EXPECT_NEAR(mean, row.mean_share, 4.0 * error + 0.0005 + std::pow(0.5, row.heads)) << row.heads;
  }
}

TEST(Concentration, RefusesBadInput) { expect_refuses_bad_samples(concentration); }

}  // namespace concentration_test
}  // namespace phasor::statistics
