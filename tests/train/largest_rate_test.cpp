#include "phasor/train/largest_rate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/thread_guard.h"
#include "run/tiny_run.h"
#include "support/backend.h"

namespace phasor {
namespace largest_rate_test {

using testing_support::test_backend;
using testing_support::ThreadGuard;
using testing_support::tiny_run;

LargestRate search(double limit, double first, int64_t doublings = 16) {
  return largest_rate([&](double rate) { return RateTrial{.rate = rate, .trains = rate <= limit}; }, first, doublings);
}

TEST(LargestRate, IsFoundToAQuarterOfAnOctave) {
  for (const double first : {1e-3, 0.5, 64.0}) {
    for (const double limit : {0.0013, 0.1, 0.99, 7.0}) {
      const LargestRate found = search(limit, first);
      EXPECT_LE(found.rate, limit) << first << " " << limit;
      EXPECT_GT(found.failing, limit) << first << " " << limit;
      EXPECT_NEAR(found.failing / found.rate, std::exp2(0.25), 1e-12) << first << " " << limit;
    }
  }
}

TEST(LargestRate, SaysWhereNothingTrainsOrNothingFails) {
  const LargestRate none = search(1e-9, 1.0, 4);
  EXPECT_EQ(none.rate, 0.0);
  EXPECT_EQ(none.failing, 1.0 / 16.0);
  EXPECT_EQ(none.trials.size(), 5u);
  const LargestRate all = search(1e9, 1.0, 4);
  EXPECT_EQ(all.rate, 16.0);
  EXPECT_EQ(all.failing, 0.0);
}

TEST(LargestRate, OfARunLiesWhereTrainingsStopSucceeding) {
  const ThreadGuard one_thread(1);
  const RunConfig config = tiny_run({"train.lr=0.003", "data.train=512", "train.batch=32", "model.dropout=0"});
  const RateSearch options{.steps = 60, .batches = 5};
  std::vector<double> told;
  const LargestRate found =
      largest_rate(test_backend(), config, options, [&](const RateTrial& trial) { told.push_back(trial.rate); });
  ASSERT_GT(found.rate, 0.003);
  ASSERT_GT(found.failing, 0.0);
  EXPECT_NEAR(found.failing / found.rate, std::exp2(0.25), 1e-12);
  ASSERT_EQ(told.size(), found.trials.size());
  for (size_t i = 0; i < told.size(); ++i) {
    const RateTrial& trial = found.trials[i];
    EXPECT_EQ(told[i], trial.rate);
    EXPECT_EQ(trial.trains, trial.finite && trial.last_loss <= 0.95 * trial.first_loss);
    EXPECT_EQ(trial.first_loss, found.trials[0].first_loss) << "every training starts from the same weights";
  }
  // Alone, a trial gives the same numbers: nothing is left over from the one before.
  const RateTrial again = try_rate(test_backend(), config, found.rate, options);
  EXPECT_TRUE(again.trains);
  for (const RateTrial& trial : found.trials) {
    if (trial.rate != found.rate) continue;
    EXPECT_EQ(again.last_loss, trial.last_loss);
  }
}

TEST(LargestRate, ATrainingThatBlowsUpFails) {
  const ThreadGuard one_thread(1);
  const RateTrial trial = try_rate(test_backend(), tiny_run({"train.lr=0.003"}), 1e30, {.steps = 20, .batches = 5});
  EXPECT_FALSE(trial.trains);
  EXPECT_FALSE(trial.finite);
  EXPECT_LT(trial.steps, 20);
}

}  // namespace largest_rate_test
}  // namespace phasor
