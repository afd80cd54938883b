#include "phasor/random/distributions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace phasor {
namespace distributions_test {

constexpr int64_t kDraws = 1 << 18;
constexpr double kSigmas = 5.0;  // a fair test of fixed seed fails once in 2 million seeds per check

template <class Draw>
std::vector<double> draws(const Draw& draw, uint32_t site) {
  const RandomStream stream{.seed = 4, .purpose = Purpose::test, .site = site};
  std::vector<double> values(kDraws);
  for (size_t i = 0; i < values.size(); ++i) values[i] = draw(stream, i);
  return values;
}

double moment(const std::vector<double>& values, double centre, int power) {
  double sum = 0.0;
  for (double value : values) sum += std::pow(value - centre, power);
  return sum / static_cast<double>(values.size());
}

// The largest gap between the empirical and the true distribution function (Kolmogorov, Smirnov).
template <class Distribution>
double largest_gap(std::vector<double> values, const Distribution& distribution) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  double gap = 0.0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double p = distribution(values[i]);
    gap = std::max({gap, p - static_cast<double>(i) / count, static_cast<double>(i + 1) / count - p});
  }
  return gap;
}

constexpr double kLargestGap = 2.5;  // of sqrt(n) * gap: exceeded with probability 2 exp(-2 * 2.5^2) = 7e-6

TEST(Uniform, StaysInsideTheOpenInterval) {
  for (double value : draws(uniform, 0)) {
    ASSERT_GT(value, 0.0);
    ASSERT_LT(value, 1.0);
  }
}

TEST(Uniform, HasTheMomentsOfUniform) {
  const std::vector<double> values = draws(uniform, 1);
  // Deviations of the estimates: sqrt((m_2k - m_k^2) / n) with central moments 1/12, 0, 1/80, 0, 1/448.
  const double n = kDraws;
  EXPECT_NEAR(moment(values, 0.0, 1), 0.5, kSigmas * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(moment(values, 0.5, 2), 1.0 / 12, kSigmas * std::sqrt((1.0 / 80 - 1.0 / 144) / n));
  EXPECT_NEAR(moment(values, 0.5, 3), 0.0, kSigmas * std::sqrt(1.0 / 448 / n));
}

TEST(Uniform, HasTheDistributionOfUniform) {
  EXPECT_LT(largest_gap(draws(uniform, 2), [](double x) { return x; }) * std::sqrt(1.0 * kDraws), kLargestGap);
}

TEST(Normal, HasTheMomentsOfNormal) {
  const std::vector<double> values = draws(normal, 3);
  const double n = kDraws;  // central moments 1, 0, 3, 0, 15, 0, 105
  EXPECT_NEAR(moment(values, 0.0, 1), 0.0, kSigmas * std::sqrt(1.0 / n));
  EXPECT_NEAR(moment(values, 0.0, 2), 1.0, kSigmas * std::sqrt(2.0 / n));
  EXPECT_NEAR(moment(values, 0.0, 3), 0.0, kSigmas * std::sqrt(15.0 / n));
  EXPECT_NEAR(moment(values, 0.0, 4), 3.0, kSigmas * std::sqrt((105.0 - 9.0) / n));
}

TEST(Normal, HasTheDistributionOfNormal) {
  const auto distribution = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  EXPECT_LT(largest_gap(draws(normal, 4), distribution) * std::sqrt(1.0 * kDraws), kLargestGap);
}

// Box and Muller make normals in pairs: the two of a pair and neighbouring pairs must not correlate.
TEST(Normal, NeighboursAreUncorrelated) {
  const std::vector<double> values = draws(normal, 5);
  for (size_t lag : {1u, 2u, 3u}) {
    double sum = 0.0;
    double squares = 0.0;
    const size_t count = values.size() - lag;
    for (size_t i = 0; i < count; ++i) {
      sum += values[i] * values[i + lag];
      squares += values[i] * values[i] * values[i + lag] * values[i + lag] - 1.0;
    }
    const auto n = static_cast<double>(count);
    EXPECT_NEAR(sum / n, 0.0, kSigmas / std::sqrt(n)) << "lag " << lag;
    EXPECT_NEAR(squares / n, 0.0, kSigmas * std::sqrt(8.0 / n)) << "lag " << lag;  // var(x^2 y^2) = 9 - 1
  }
}

TEST(Draws, BelowCoversItsRangeEvenly) {
  constexpr uint32_t kBound = 7;
  Draws cursor(RandomStream{.seed = 6, .purpose = Purpose::test});
  std::vector<int64_t> counts(kBound);
  for (int64_t i = 0; i < kDraws; ++i) {
    const uint32_t value = cursor.below(kBound);
    ASSERT_LT(value, kBound);
    ++counts[value];
  }
  const double p = 1.0 / kBound;
  for (uint32_t value = 0; value < kBound; ++value) {
    EXPECT_NEAR(static_cast<double>(counts[value]), p * kDraws, kSigmas * std::sqrt(p * (1 - p) * kDraws)) << value;
  }
}

// With a bound of 3 * 2^30 a multiply-shift without rejection gives multiples of 3 half of the time,
// not a third; so would a remainder favour values below 2^30.
TEST(Draws, BelowIsUnbiasedForLargeBounds) {
  constexpr uint32_t kBound = 3u << 30;
  Draws cursor(RandomStream{.seed = 8, .purpose = Purpose::test});
  int64_t multiples = 0;
  int64_t small = 0;
  for (int64_t i = 0; i < kDraws; ++i) {
    const uint32_t value = cursor.below(kBound);
    ASSERT_LT(value, kBound);
    multiples += value % 3 == 0;
    small += value < (1u << 30);
  }
  const double deviation = std::sqrt(kDraws * (1.0 / 3) * (2.0 / 3));
  EXPECT_NEAR(static_cast<double>(multiples), kDraws / 3.0, kSigmas * deviation);
  EXPECT_NEAR(static_cast<double>(small), kDraws / 3.0, kSigmas * deviation);
}

TEST(Draws, BelowOneIsZero) {
  Draws cursor(RandomStream{.seed = 8, .purpose = Purpose::test});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(cursor.below(1), 0u);
}

TEST(Draws, ACursorOverTheSameStreamRepeats) {
  const RandomStream stream{.seed = 12, .purpose = Purpose::test};
  Draws a(stream);
  Draws b(stream);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(a.below(1000), b.below(1000)) << i;
}

}  // namespace distributions_test
}  // namespace phasor
