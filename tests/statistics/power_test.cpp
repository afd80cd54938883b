// What so many runs can show, against simulated studies that are judged by compare_means() itself.
#include "phasor/statistics/power.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/base/special_numbers.h"
#include "phasor/random/distributions.h"
#include "phasor/statistics/distribution.h"
#include "phasor/statistics/mean_difference.h"

namespace phasor::statistics {
namespace power_test {

constexpr int kSimulations = 20000;

// Four binomial errors.
double tolerance(double share) { return 4.0 * std::sqrt(share * (1.0 - share) / kSimulations); }

std::vector<double> runs(const RunGroup& group, double mean, int simulation, uint32_t site) {
  const RandomStream stream{
      .seed = 5, .purpose = Purpose::test, .site = site, .step = static_cast<uint32_t>(simulation)};
  std::vector<double> values(static_cast<size_t>(group.runs));
  for (size_t i = 0; i < values.size(); ++i) values[i] = mean + group.deviation * normal(stream, i);
  return values;
}

template <class Holds>
double share_of(const RunGroup& x, const RunGroup& y, double difference, const Holds& holds) {
  int count = 0;
  for (int s = 0; s < kSimulations; ++s) {
    const std::vector<double> of_x = runs(x, difference, s, 1), of_y = runs(y, 0.0, s, 2);
    count += holds(compare_means({of_x, x.variance_floor}, {of_y, y.variance_floor})) ? 1 : 0;
  }
  return static_cast<double>(count) / kSimulations;
}

const std::vector<std::pair<RunGroup, RunGroup>>& designs() {
  static const std::vector<std::pair<RunGroup, RunGroup>> all = {
      {{.runs = 3, .deviation = 1.0}, {.runs = 3, .deviation = 1.0}},
      {{.runs = 5, .deviation = 1.0}, {.runs = 5, .deviation = 1.0}},
      {{.runs = 5, .deviation = 2.0}, {.runs = 10, .deviation = 0.5}},
      {{.runs = 4, .deviation = 1.0, .variance_floor = 0.2}, {.runs = 6, .deviation = 0.1, .variance_floor = 0.2}},
      {{.runs = 40, .deviation = 1.0}, {.runs = 40, .deviation = 1.0}}};
  return all;
}

TEST(Power, IsThatOfSimulatedStudies) {
  for (const auto& [x, y] : designs()) {
    const double difference = detectable_difference(x, y);
    const double found = share_of(x, y, difference, [](const MeanDifference& it) { return it.significant(); });
    EXPECT_NEAR(found, kUsualPower, tolerance(kUsualPower)) << x.runs << " " << y.runs;
    EXPECT_NEAR(chance_to_tell(x, y, difference), kUsualPower, 1e-6);
    const double none = share_of(x, y, 0.0, [](const MeanDifference& it) { return it.significant(); });
    EXPECT_NEAR(chance_to_tell(x, y, 0.0), none, tolerance(0.05)) << x.runs << " " << y.runs;
  }
}

TEST(Power, OfRulingOutIsThatOfSimulatedStudies) {
  for (const auto& [x, y] : designs()) {
    const double margin = detectable_difference(x, y);
    const double found = share_of(
        x, y, 0.0, [&](const MeanDifference& it) { return read(it, margin) == DifferenceReading::not_of_interest; });
    EXPECT_NEAR(chance_to_rule_out(x, y, margin), found, tolerance(found)) << x.runs << " " << y.runs;
  }
}

// For many runs the textbook formula, sigma sqrt(2 / n) (z + z): Student's quantile is the normal one up to (z^3 + z) /
// (4 freedom).
TEST(Power, OfManyRunsIsTheNormalOne) {
  const RunGroup group{.runs = 2000, .deviation = 1.0};
  const double usual = std::sqrt(2.0 / 2000.0) * (normal_quantile(0.975) + normal_quantile(0.8));
  EXPECT_NEAR(detectable_difference(group, group) / usual, 1.0, 1e-3);
}

TEST(Power, WithoutSpreadIsTheFloors) {
  const RunGroup group{.runs = 5, .deviation = 0.0, .variance_floor = 1e-6};
  EXPECT_NEAR(detectable_difference(group, group), student_quantile(0.975, 8.0) * std::sqrt(2e-6), 1e-12);
}

TEST(Power, OfTooFewRunsIsNone) {
  const RunGroup few{.runs = 2, .deviation = 1.0}, enough{.runs = 5, .deviation = 1.0};
  EXPECT_EQ(detectable_difference(few, enough), kInfinity);
  EXPECT_EQ(chance_to_tell(few, enough, 100.0), 0.0);
  EXPECT_EQ(chance_to_rule_out(enough, few, 100.0), 0.0);
  EXPECT_THROW(detectable_difference({.runs = 5, .deviation = -1.0}, enough), Error);
  EXPECT_THROW(detectable_difference(enough, enough, 1.0), Error);
}

TEST(Power, GrowsWithRunsAndShrinksWithSpread) {
  double before = kInfinity;
  for (const int64_t count : {3, 4, 5, 8, 16, 64}) {
    const RunGroup group{.runs = count, .deviation = 1.0}, wide{.runs = count, .deviation = 2.0};
    const double now = detectable_difference(group, group);
    EXPECT_LT(now, before);
    EXPECT_NEAR(detectable_difference(wide, wide) / now, 2.0, 1e-6);
    before = now;
  }
}

}  // namespace power_test
}  // namespace phasor::statistics
