#include "phasor/study/carry_out/pack_run.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/study/carry_out/study_runner.h"
#include "study/tiny_study.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace pack_run_test {

using namespace testing_support;
namespace fs = std::filesystem;

// A study that was stopped between training and measuring goes on with the weights.
TEST(RunsToPack, AreThoseWhoseStudyHasMeasuredThem) {
  const TemporaryFolder temporary;
  const StudyFolder folder(temporary / "study");
  StudyPlan plan = tiny_study();
  folder.open(plan);
  const std::vector<PlannedRun> trained = result_runs(plan, {});
  ASSERT_EQ(carry_out(trained, folder, {}), StudyEnd::finished);
  EXPECT_EQ(runs_to_pack(folder.path()).runs.size(), 4u);
  EXPECT_TRUE(runs_to_pack(folder.path()).unmeasured.empty());

  plan.cells[0].measures.lengths = {1.0, 2.0};
  folder.open(plan);
  const RunsToPack found = runs_to_pack(folder.path());
  EXPECT_EQ(found.runs.size(), 2u);
  ASSERT_EQ(found.unmeasured.size(), 2u);
  for (const fs::path& run : found.unmeasured) {
    EXPECT_EQ(runs_to_pack(run).unmeasured, (std::vector<fs::path>{run})) << "also where it is named itself";
  }
  EXPECT_EQ(runs_to_pack(folder.path() / "runs").unmeasured.size(), 2u);
  EXPECT_EQ(runs_to_pack(temporary.path()).unmeasured.size(), 2u);
  for (const fs::path& run : found.runs) pack_run(run);
  ASSERT_EQ(carry_out(result_runs(plan, {}), folder, {}), StudyEnd::finished);
  EXPECT_EQ(runs_to_pack(folder.path()).runs.size(), 4u);
  for (const PlannedRun& run : result_runs(plan, {})) EXPECT_TRUE(is_complete(folder, run)) << run.id;
}

TEST(RunsToPack, OfFoldersThatAreNoStudyAreAllFinishedOnes) {
  const TemporaryFolder temporary;
  const StudyFolder folder(temporary / "study");
  const StudyPlan plan = tiny_study();
  folder.open(plan);
  ASSERT_EQ(carry_out(result_runs(plan, {}), folder, {}), StudyEnd::finished);
  fs::rename(folder.path() / "runs", temporary / "runs");
  EXPECT_EQ(runs_to_pack(temporary / "runs").runs.size(), 4u);
  EXPECT_THROW(runs_to_pack(folder.path()), UsageError);
}

}  // namespace pack_run_test
}  // namespace phasor
