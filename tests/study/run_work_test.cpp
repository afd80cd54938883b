#include "phasor/study/carry_out/run_work.h"

#include <gtest/gtest.h>

#include "phasor/study/plan/study_grid.h"

namespace phasor {
namespace run_work_test {

StudyPlan plan_of(int64_t seeds, const std::string& steps, const std::vector<double>& rates = {}) {
  StudyPlan plan{.name = "s", .preset = "quick"};
  add_cells(plan, {.encodings = {"rope"},
                   .seeds = StudyGrid::first_seeds(seeds),
                   .settings = {{"train.steps", steps}},
                   .rates = rates});
  return plan;
}

TEST(EstimatedSeconds, GrowWithRunsAndShrinkWithCores) {
  const double one = estimated_seconds(plan_of(1, "200"), 1);
  EXPECT_GT(one, 0.0);
  EXPECT_NEAR(estimated_seconds(plan_of(3, "200"), 1), 3.0 * one, 1e-9 * one);
  EXPECT_NEAR(estimated_seconds(plan_of(1, "200"), 4), one / 4.0, 1e-9 * one);
  EXPECT_GT(estimated_seconds(plan_of(1, "400"), 1), 1.8 * one);
}

TEST(EstimatedSeconds, CountRunsThatChooseRates) {
  const double one = estimated_seconds(plan_of(1, "200"), 1);
  EXPECT_NEAR(estimated_seconds(plan_of(1, "200", {1e-3, 3e-3}), 1), 3.0 * one, 1e-9 * one);
}

}  // namespace run_work_test
}  // namespace phasor
