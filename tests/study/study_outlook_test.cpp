#include "phasor/study/carry_out/study_outlook.h"

#include <gtest/gtest.h>

#include "phasor/study/plan/study_grid.h"

namespace phasor {
namespace study_outlook_test {

StudyPlan plan_of(int64_t seeds, const std::string& steps, const std::vector<double>& rates = {}) {
  StudyPlan plan{.name = "s", .preset = "quick"};
  add_cells(plan, {.encodings = {"rope"},
                   .seeds = StudyGrid::first_seeds(seeds),
                   .settings = {{"train.steps", steps}},
                   .rates = rates});
  return plan;
}

// Of a study that has no run yet.
double seconds_of(const StudyPlan& plan, int64_t cores) {
  return outlook_of(plan, StudyFolder("/nonexistent"), {.jobs = cores, .threads = 1}).seconds;
}

TEST(EstimatedSeconds, GrowWithRunsAndShrinkWithCores) {
  const double one = seconds_of(plan_of(1, "200"), 1);
  EXPECT_GT(one, 0.0);
  EXPECT_NEAR(seconds_of(plan_of(3, "200"), 1), 3.0 * one, 1e-9 * one);
  EXPECT_NEAR(seconds_of(plan_of(1, "200"), 4), one / 4.0, 1e-9 * one);
  EXPECT_GT(seconds_of(plan_of(1, "400"), 1), 1.8 * one);
}

TEST(EstimatedSeconds, CountRunsThatChooseRates) {
  const double one = seconds_of(plan_of(1, "200"), 1);
  EXPECT_NEAR(seconds_of(plan_of(1, "200", {1e-3, 3e-3}), 1), 3.0 * one, 1e-9 * one);
}

}  // namespace study_outlook_test
}  // namespace phasor
