#include "phasor/study/carry_out/study_runner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "study/tiny_study.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace study_runner_test {

using testing_support::tiny_cell;
using testing_support::tiny_study;

namespace fs = std::filesystem;

class StudyRunner : public testing::Test {
 protected:
  StudyFolder folder(const std::string& name, const StudyPlan& plan) {
    StudyFolder made(temporary_ / name);
    made.open(plan);
    return made;
  }

  TemporaryFolder temporary_;
};

void expect_same_runs(const StudyFolder& a, const StudyFolder& b, const StudyPlan& plan) {
  for (const PlannedRun& run : result_runs(plan, {})) {
    for (const char* file : {"config.json", "metrics.jsonl", "model.safetensors", "lengths.json"}) {
      ASSERT_TRUE(fs::exists(a.run(run) / file)) << file;
      EXPECT_EQ(read_file(a.run(run) / file), read_file(b.run(run) / file)) << file;
    }
  }
}

StudyPlan measured_study() {
  StudyPlan plan = tiny_study();
  for (PlannedCell& cell : plan.cells) cell.measures.lengths = {1.0, 2.0};
  return plan;
}

TEST_F(StudyRunner, JobsDoNotChangeResults) {
  const StudyPlan plan = measured_study();
  const std::vector<PlannedRun> runs = result_runs(plan, {});
  const StudyFolder one = folder("one", plan), three = folder("three", plan);
  EXPECT_EQ(carry_out(runs, one, {.jobs = 1}), StudyEnd::finished);
  EXPECT_EQ(carry_out(runs, three, {.jobs = 3, .threads = 2}), StudyEnd::finished);
  expect_same_runs(one, three, plan);
  const StudyResults results = load_results(one, plan);
  ASSERT_EQ(results.cells.size(), 2u);
  EXPECT_EQ(results.cells[0].runs.size(), 2u);
  EXPECT_EQ(results.cells[0].runs[1].seed, 1u);
  EXPECT_EQ(results.cells[1].runs[0].lengths.size(), 2u);
}

TEST_F(StudyRunner, StoppedAnywhereItGoesOn) {
  const StudyPlan plan = measured_study();
  const std::vector<PlannedRun> runs = result_runs(plan, {});
  const StudyFolder whole = folder("whole", plan), pieces = folder("pieces", plan);
  EXPECT_EQ(carry_out(runs, whole, {.jobs = 2}), StudyEnd::finished);
  // Some questions later each time, so that it stops in training and in measuring, and always gets on.
  int sittings = 0;
  StudyEnd end = StudyEnd::stopped;
  while (end == StudyEnd::stopped) {
    std::atomic<int> questions = 0;
    const int patience = 5 + 7 * sittings;
    end = carry_out(runs, pieces, {.jobs = 2}, {.stop = [&] { return ++questions > patience; }});
    ASSERT_LT(++sittings, 100);
  }
  EXPECT_GT(sittings, 3);
  expect_same_runs(whole, pieces, plan);
}

TEST_F(StudyRunner, AFailureStopsNothingElseAndIsTriedAgain) {
  StudyPlan plan = tiny_study();
  plan.cells[0].config.train.learning_rate = 1e30;  // no longer finite after a step
  const StudyFolder study = folder("study", plan);
  std::vector<std::string> failures;
  int64_t last = 0;
  const RunnerCallbacks callbacks{
      .finished = [&](const PlannedRun& run, const RunFailure* failure, const StudyProgress& progress) {
        if (failure != nullptr) failures.push_back(text(run.cell));
        last = progress.done;
        EXPECT_EQ(progress.failed, static_cast<int64_t>(failures.size()));
      }};
  const std::vector<PlannedRun> runs = result_runs(plan, {});
  EXPECT_EQ(carry_out(runs, study, {.jobs = 2}, callbacks), StudyEnd::finished);
  EXPECT_EQ(failures, (std::vector<std::string>(2, "rope on distance, clean")));
  EXPECT_EQ(last, 4);
  const StudyResults results = load_results(study, plan);
  ASSERT_EQ(results.cells[0].failures.size(), 2u);
  EXPECT_NE(results.cells[0].failures[0].what.find("not finite"), std::string::npos);
  EXPECT_EQ(results.cells[1].runs.size(), 2u);
  failures.clear();
  EXPECT_EQ(carry_out(runs, study, {}, callbacks), StudyEnd::finished);
  EXPECT_EQ(failures.size(), 2u);
}

TEST_F(StudyRunner, WhatIsDoneIsNotDoneAgain) {
  const StudyPlan plan = measured_study();
  const std::vector<PlannedRun> runs = result_runs(plan, {});
  const StudyFolder study = folder("study", plan);
  carry_out(runs, study, {.jobs = 2});
  const auto before = fs::last_write_time(study.run(runs[0]) / "result.json");
  int64_t finished = 0;
  carry_out(runs, study, {.jobs = 2},
            {.progress = [&](const StudyProgress& progress) { EXPECT_EQ(progress.before, 4); },
             .finished = [&](const PlannedRun&, const RunFailure*, const StudyProgress&) { ++finished; }});
  EXPECT_EQ(finished, 0);
  EXPECT_EQ(fs::last_write_time(study.run(runs[0]) / "result.json"), before);
}

TEST_F(StudyRunner, AFolderWithOtherSettingsThanItsNameIsAFailure) {
  const StudyPlan plan = tiny_study();
  const std::vector<PlannedRun> runs = result_runs(plan, {});
  const StudyFolder study = folder("study", plan);
  carry_out({runs[0]}, study, {});
  fs::rename(study.run(runs[0]), study.run(runs[1]));
  fs::remove(study.run(runs[1]) / "result.json");
  carry_out({runs[1]}, study, {});
  const auto failure = study.load_failure(runs[1]);
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->what.find("other settings"), std::string::npos);
}

TEST_F(StudyRunner, ProgressOnlyRises) {
  const StudyPlan plan = measured_study();
  const std::vector<PlannedRun> runs = result_runs(plan, {});
  const StudyFolder study = folder("study", plan);
  double work = 0.0;
  carry_out(runs, study, {.jobs = 2}, {.progress = [&](const StudyProgress& progress) {
              EXPECT_GE(progress.work, work - 1e-12);
              EXPECT_LE(progress.active.size(), 2u);
              EXPECT_EQ(progress.runs, 4);
              work = progress.work;
            }});
  EXPECT_NEAR(work, 1.0, 1e-12);
}

TEST(StudyFolder, KeepsOutOfFoldersThatHoldSomethingElse) {
  const TemporaryFolder temporary;
  std::ofstream(temporary / "letter.txt") << "dear";
  EXPECT_THROW(StudyFolder(temporary / ".").open(tiny_study()), UsageError);
  EXPECT_THROW(StudyFolder(temporary / "letter.txt").open(tiny_study()), UsageError);
  EXPECT_THROW(StudyFolder(temporary / "nowhere").load_plan(), UsageError);
  const StudyFolder study(temporary / "study");
  study.open(tiny_study());
  EXPECT_EQ(study.load_plan().cells.size(), 2u);
  // Another plan in the same folder takes over what it can use.
  StudyPlan more = tiny_study();
  more.cells.push_back(tiny_cell("nope"));
  study.open(more);
  EXPECT_EQ(study.load_plan().cells.size(), 3u);
}

TEST(StudyFolder, ARunThatCannotBeReadIsAFailureAndHidesNoOther) {
  const TemporaryFolder temporary;
  const StudyPlan plan = tiny_study();
  const StudyFolder study(temporary / "study");
  study.open(plan);
  const std::vector<PlannedRun> runs = result_runs(plan, {});
  carry_out(runs, study, {.jobs = 2});
  std::ofstream(study.run(runs[0]) / "result.json") << "{";
  const StudyResults results = load_results(study, plan);
  ASSERT_EQ(results.cells[0].failures.size(), 1u);
  EXPECT_NE(results.cells[0].failures[0].what.find("result.json"), std::string::npos);
  EXPECT_EQ(results.cells[0].runs.size(), 1u);
  EXPECT_EQ(results.cells[1].runs.size(), 2u);
  // The next call makes it anew, from the state beside it.
  EXPECT_FALSE(is_complete(study, runs[0]));
  EXPECT_EQ(carry_out(runs, study, {.jobs = 2}), StudyEnd::finished);
  EXPECT_EQ(load_results(study, plan).cells[0].runs.size(), 2u);
}

TEST_F(StudyRunner, WhatCannotBeRepairedFailsAndSaysWhichFile) {
  const StudyPlan plan = tiny_study();
  const std::vector<PlannedRun> runs = result_runs(plan, {});
  const StudyFolder study = folder("study", plan);
  carry_out(runs, study, {.jobs = 2});
  std::ofstream(study.run(runs[0]) / "metrics.jsonl") << "nonsense\n";
  int64_t failed = 0;
  carry_out(runs, study, {}, {.finished = [&](const PlannedRun&, const RunFailure* failure, const StudyProgress&) {
              ASSERT_NE(failure, nullptr);
              EXPECT_NE(failure->what.find("metrics.jsonl"), std::string::npos) << failure->what;
              ++failed;
            }});
  EXPECT_EQ(failed, 1);
}

}  // namespace study_runner_test
}  // namespace phasor
