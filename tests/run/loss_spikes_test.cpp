#include "phasor/run/loss_spikes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "phasor/base/error.h"

namespace phasor {
namespace loss_spikes_test {

// 50 losses with median 2 and median absolute deviation 0.25: 1.75 and 2.25 in turn.
LossSpikes after_a_window() {
  LossSpikes spikes;
  for (int i = 0; i < 50; ++i) spikes.add(i % 2 == 0 ? 1.75 : 2.25, false);
  return spikes;
}

TEST(LossSpikes, JudgesOnlyAfterAWholeWindow) {
  LossSpikes spikes;
  for (int i = 0; i < 49; ++i) spikes.add(1.0, false);
  spikes.add(100.0, false);
  EXPECT_EQ(spikes.judged(), 0);
  spikes.add(100.0, false);
  EXPECT_EQ(spikes.judged(), 1);
  EXPECT_EQ(spikes.spikes(), 1);
  EXPECT_EQ(spikes.largest_jump(), 99.0);
}

TEST(LossSpikes, ThresholdIsThreeRobustDeviations) {
  const double threshold = 2.0 + 3.0 * 1.4826 * 0.25;
  LossSpikes below = after_a_window();
  below.add(threshold - 1e-9, false);
  EXPECT_EQ(below.spikes(), 0);
  EXPECT_NEAR(below.largest_jump(), (threshold - 2.0) / 2.0, 1e-9);
  LossSpikes above = after_a_window();
  above.add(threshold + 1e-9, false);
  EXPECT_EQ(above.spikes(), 1);
  LossSpikes down = after_a_window();
  down.add(0.0, false);
  EXPECT_EQ(down.spikes(), 0);
  EXPECT_EQ(down.largest_jump(), 0.0);
}

TEST(LossSpikes, ASolvedTaskHasAFloor) {
  LossSpikes spikes;
  for (int i = 0; i < 50; ++i) spikes.add(1e-4, false);
  spikes.add(0.029, false);
  EXPECT_EQ(spikes.spikes(), 0);
  spikes.add(0.031, false);
  EXPECT_EQ(spikes.spikes(), 1);
  EXPECT_NEAR(spikes.largest_jump(), (0.031 - 1e-4) / 0.01, 1e-12);
}

TEST(LossSpikes, WarmupIsRememberedButNotJudged) {
  LossSpikes spikes;
  for (int i = 0; i < 60; ++i) spikes.add(1.0, true);
  spikes.add(9.0, true);
  EXPECT_EQ(spikes.judged(), 0);
  spikes.add(9.0, false);
  EXPECT_EQ(spikes.spikes(), 1);
}

TEST(LossSpikes, GoesOnFromItsNumbers) {
  for (const int stop : {0, 1, 30, 50, 51, 75, 120}) {
    LossSpikes whole, parts;
    for (int i = 0; i < 120; ++i) {
      if (i == stop) parts = LossSpikes::restored(parts.stored());
      const double loss = 2.0 + std::sin(static_cast<double>(i * i)) + (i % 37 == 36 ? 9.0 : 0.0);
      whole.add(loss, i < 20);
      parts.add(loss, i < 20);
    }
    EXPECT_EQ(parts.stored(), whole.stored()) << stop;
    EXPECT_GT(whole.spikes(), 0);
  }
}

TEST(LossSpikes, RefusesOtherNumbers) {
  const std::vector<double> good = after_a_window().stored();
  EXPECT_EQ(LossSpikes::restored(good).stored(), good);
  const auto changed = [&](size_t place, double value) {
    std::vector<double> numbers = good;
    numbers[place] = value;
    return numbers;
  };
  EXPECT_THROW(LossSpikes::restored({}), Error);
  EXPECT_THROW(LossSpikes::restored(changed(0, 51.0)), Error);
  EXPECT_THROW(LossSpikes::restored(changed(1, -1.0)), Error);
  EXPECT_THROW(LossSpikes::restored(changed(2, 1.0)), Error) << "more spikes than steps";
  EXPECT_THROW(LossSpikes::restored(changed(20, std::nan(""))), Error);
}

}  // namespace loss_spikes_test
}  // namespace phasor
