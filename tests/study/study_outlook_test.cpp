#include "phasor/study/carry_out/study_outlook.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "phasor/study/plan/study_grid.h"
#include "study/records.h"

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

TEST(StudyOutlook, CountsRunsAndListsTheirIds) {
  const StudyPlan plan = plan_of(3, "200", {1e-3, 3e-3});
  const StudyOutlook outlook = outlook_of(plan, StudyFolder("/nonexistent"), {});
  EXPECT_EQ(outlook.runs, 3);
  EXPECT_EQ(outlook.tuning, 2);
  EXPECT_EQ(outlook.there, 0);
  EXPECT_NE(outlook_text(outlook).find("3 runs, after 2 that choose learning rates\nabout "), std::string::npos);
  const nlohmann::ordered_json json = outlook_json(plan, outlook);
  EXPECT_EQ(json["runs"], 3);
  EXPECT_EQ(json["detectable_difference"]["seeds"], 3);
  ASSERT_EQ(json["cells"].size(), 1u);
  // Two trials, and three seeds at either rate, since none is chosen yet.
  ASSERT_EQ(json["cells"][0]["runs"].size(), 8u);
  EXPECT_EQ(json["cells"][0]["settings"]["train.steps"], "200");
  for (const auto& run : json["cells"][0]["runs"]) {
    const auto id = run["id"].get<std::string>();
    EXPECT_EQ(find_run(plan, id).id, id);
  }
}

TEST(Detectable, IsThatOfTheSpreadAndTheSeeds) {
  const Detectable usual = detectable_of(plan_of(5, "200"), {});
  EXPECT_EQ(usual.seeds, 5);
  EXPECT_EQ(usual.deviation, kUsualDeviation);
  EXPECT_GT(usual.difference, 2.0 * usual.deviation);
  EXPECT_GT(usual.least, 0.0);
  EXPECT_LT(usual.least, usual.difference);
  EXPECT_LT(detectable_of(plan_of(10, "200"), {}).difference, usual.difference);
  const StudyResults results{.cells = {testing_support::cell_runs(testing_support::kRope, {0.90, 0.91, 0.92})}};
  const Detectable measured = detectable_of(plan_of(5, "200"), results);
  EXPECT_NEAR(measured.deviation, 0.01, 1e-12);
  EXPECT_NE(detectable_text(measured).find("scatter by 1.0 points (as the cell that is here does)"), std::string::npos)
      << detectable_text(measured);
  EXPECT_NE(detectable_text(detectable_of(plan_of(2, "200"), {})).find("no difference can be decided"),
            std::string::npos);
}

}  // namespace study_outlook_test
}  // namespace phasor
