#include "phasor/train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace phasor {
namespace schedule_test {

TrainConfig schedule(int64_t steps, double warmup, double rate = 1e-3) {
  TrainConfig config;
  config.steps = steps;
  config.warmup = warmup;
  config.learning_rate = rate;
  return config;
}

// A few roundings of double.
constexpr double kRelative = 8 * std::numeric_limits<double>::epsilon();

TEST(Schedule, RisesInAStraightLine) {
  const TrainConfig config = schedule(2000, 0.06);  // 120 steps
  for (int64_t step = 1; step <= 120; ++step) {
    EXPECT_NEAR(learning_rate(config, step), 1e-3 * static_cast<double>(step) / 120.0, 1e-3 * kRelative);
  }
  EXPECT_EQ(learning_rate(config, 120), 1e-3);
}

// (1 + cos x) / 2 = cos^2(x / 2)
TEST(Schedule, FallsAsHalfACosine) {
  for (const double warmup : {0.0, 0.06, 0.5}) {
    const TrainConfig config = schedule(200, warmup, 0.3);
    const auto risen = static_cast<int64_t>(std::lround(200 * warmup));
    for (int64_t step = risen + 1; step <= 200; ++step) {
      const double share = static_cast<double>(step - risen) / static_cast<double>(200 - risen + 1);
      const double expected = 0.3 * std::pow(std::cos(std::numbers::pi / 2 * share), 2);
      EXPECT_NEAR(learning_rate(config, step), expected, 0.3 * kRelative) << "warm-up " << warmup << " step " << step;
    }
  }
}

TEST(Schedule, IsHalfInTheMiddleOfTheFall) {
  // 19.8 rounds to 20 steps of warm-up, then 79 of fall: the cosine is 0 at the 40th of them.
  EXPECT_NEAR(learning_rate(schedule(99, 0.2), 60), 0.5e-3, 1e-3 * kRelative);
}

// Neither the first nor the last update is wasted.
TEST(Schedule, IsNeverZeroAndNeverAboveThePeak) {
  for (const int64_t steps : {1, 2, 3, 17, 600}) {
    for (const double warmup : {0.0, 0.06, 0.34, 1.0}) {
      const TrainConfig config = schedule(steps, warmup);
      for (int64_t step = 1; step <= steps; ++step) {
        const double rate = learning_rate(config, step);
        EXPECT_GT(rate, 0.0) << steps << " steps, warm-up " << warmup << ", step " << step;
        EXPECT_LE(rate, 1e-3) << steps << " steps, warm-up " << warmup << ", step " << step;
      }
    }
  }
}

// The line sums to (w + 1) / 2 and the cosine, whose terms cancel in pairs, to half its steps.
TEST(Schedule, SumsToHalfThePeakTimesSteps) {
  for (const double warmup : {0.0, 0.06, 0.25, 1.0}) {
    const TrainConfig config = schedule(400, warmup);
    const double first = warmup > 0.0 ? 0.5 : 0.0;
    double sum = 0.0;
    for (int64_t step = 1; step <= 400; ++step) sum += learning_rate(config, step);
    EXPECT_NEAR(sum, 1e-3 * (200.0 + first), 400 * 1e-3 * kRelative) << "warm-up " << warmup;
  }
}

}  // namespace schedule_test
}  // namespace phasor
