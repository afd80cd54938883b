#include "phasor/study/plan/study_plan.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "phasor/base/error.h"
#include "phasor/run/config_json.h"
#include "study/tiny_study.h"

namespace phasor {
namespace study_plan_test {

using testing_support::tiny_cell;
using testing_support::tiny_study;

std::string refusal(const StudyPlan& plan) {
  try {
    check(plan);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(StudyPlan, EveryRunIsNamedByItsSettings) {
  const std::vector<PlannedRun> runs = result_runs(tiny_study(), {});
  ASSERT_EQ(runs.size(), 4u);
  std::set<std::string> ids;
  for (const PlannedRun& run : runs) {
    EXPECT_EQ(run.id, config_id(run.config));
    EXPECT_FALSE(run.tuning);
    ids.insert(run.id);
  }
  EXPECT_EQ(ids.size(), 4u);
  EXPECT_EQ(runs[1].config.seed, 1u);
  EXPECT_EQ(runs[2].cell.encoding, "alibi");
}

TEST(StudyPlan, EveryRunMayHaveItsOwnData) {
  StudyPlan plan = tiny_study();
  for (const PlannedRun& run : result_runs(plan, {})) EXPECT_EQ(run.config.data.seed, plan.cells[0].config.data.seed);
  plan.cells[0].own_data = true;
  plan.cells[0].rates = {1e-3, 3e-3};
  for (const PlannedRun& run : result_runs(plan, {})) {
    EXPECT_EQ(run.config.data.seed, run.cell.encoding == "rope" ? run.config.seed : plan.cells[1].config.data.seed);
    EXPECT_EQ(run.id, config_id(run.config));
  }
  for (const PlannedRun& run : tuning_runs(plan)) EXPECT_EQ(run.config.data.seed, kTuningSeed) << "no result has it";
}

TEST(StudyPlan, AStudyThatBeganWithSharedDataGoesOnWithIt) {
  StudyPlan plan = tiny_study();
  for (PlannedCell& cell : plan.cells) cell.own_data = true;
  StudyPlan begun = tiny_study();
  begun.cells[1].config.train.steps += 1;  // another cell, whatever its name
  EXPECT_EQ(keep_shared_data(plan, begun), 1);
  EXPECT_FALSE(plan.cells[0].own_data);
  EXPECT_TRUE(plan.cells[1].own_data);
  begun = plan;
  EXPECT_EQ(keep_shared_data(plan, begun), 0) << "nothing left to keep";
  begun.cells.clear();
  EXPECT_EQ(keep_shared_data(plan, begun), 0);
}

TEST(StudyPlan, WhatCannotBeRunIsRefused) {
  EXPECT_EQ(refusal(tiny_study()), "");
  StudyPlan twice = tiny_study();
  twice.cells.push_back(twice.cells[0]);
  EXPECT_EQ(refusal(twice), "rope on distance, clean is in the study twice");
  StudyPlan seedless = tiny_study();
  seedless.cells[1].seeds.clear();
  EXPECT_EQ(refusal(seedless), "alibi on distance, clean: no seeds");
  StudyPlan repeated = tiny_study();
  repeated.cells[1].seeds = {3, 3};
  EXPECT_EQ(refusal(repeated), "alibi on distance, clean: a seed is given twice");
  StudyPlan tuned = tiny_study();
  tuned.cells[0].rates = {1e-3, 3e-3};
  tuned.cells[0].seeds = {kTuningSeed};
  EXPECT_NE(refusal(tuned).find("chooses learning rates"), std::string::npos);
  StudyPlan equal_rates = tiny_study();
  equal_rates.cells[0].rates = {1e-3, 1e-3};
  EXPECT_EQ(refusal(equal_rates), "rope on distance, clean: a learning rate to choose from is given twice");
  StudyPlan blind = tiny_study();
  blind.cells[0].rates = {1e-3, 3e-3};
  blind.cells[0].config.data.validation_samples = 0;
  EXPECT_NE(refusal(blind).find("data.validation is 0"), std::string::npos);
  StudyPlan follower = tiny_study();
  follower.cells[1].rate_of = follower.cells[0].cell;
  EXPECT_NE(refusal(follower).find("for which none is chosen"), std::string::npos);
  EXPECT_NE(refusal({.name = "x"}).find("has no runs"), std::string::npos);
}

TEST(StudyPlan, OneRunUnderTwoNamesIsRefusedWhereAPersonWroteBoth) {
  StudyPlan plan = tiny_study();
  EXPECT_NO_THROW(refuse_duplicates(plan));
  plan.cells.push_back(plan.cells[0]);
  plan.cells.back().cell.variant = "again";
  EXPECT_THROW(refuse_duplicates(plan), UsageError);
  // Where a program wrote both it is trained once, and everything is measured that either wants.
  plan.cells[0].measures.ablation = true;
  plan.cells.back().measures.spectrum = true;
  const std::vector<PlannedRun> runs = result_runs(plan, {});
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_TRUE(runs[0].measures.ablation && runs[0].measures.spectrum);
  EXPECT_FALSE(runs[2].measures.ablation);
}

RunRecord trial(const PlannedRun& run, double accuracy, double loss) {
  RunRecord record;
  record.id = run.id;
  record.validation_accuracy = accuracy;
  record.validation_loss = loss;
  return record;
}

TEST(StudyPlan, RatesAreChosenOnTheValidationSet) {
  StudyPlan plan = tiny_study();
  plan.cells[0].rates = {1e-4, 1e-3, 1e-2};
  plan.cells[1].rate_of = plan.cells[0].cell;
  check(plan);
  const std::vector<PlannedRun> trials = tuning_runs(plan);
  ASSERT_EQ(trials.size(), 3u);
  for (const PlannedRun& run : trials) {
    EXPECT_TRUE(run.tuning);
    EXPECT_EQ(run.config.seed, kTuningSeed);
    EXPECT_EQ(run.measures, RunMeasures{});
  }
  // The most accurate one; of equally accurate ones that with less loss; one that failed never.
  const auto chosen = [&](const std::vector<RunRecord>& records) {
    const std::vector<RateChoice> rates = choose_rates(plan, records);
    EXPECT_EQ(rates.size(), 1u);
    for (const PlannedRun& run : result_runs(plan, rates)) {
      EXPECT_EQ(run.config.train.learning_rate, rates[0].rate);  // also of the cell that takes it over
    }
    return rates[0].rate;
  };
  EXPECT_EQ(chosen({trial(trials[0], 0.5, 1.0), trial(trials[1], 0.6, 2.0), trial(trials[2], 0.4, 0.1)}), 1e-3);
  EXPECT_EQ(chosen({trial(trials[0], 0.6, 1.0), trial(trials[1], 0.6, 0.9), trial(trials[2], 0.6, 1.1)}), 1e-3);
  EXPECT_EQ(chosen({trial(trials[2], 0.1, 3.0)}), 1e-2);
  EXPECT_EQ(chosen({}), plan.cells[0].config.train.learning_rate);
}

TEST(StudyPlan, ResultsAreSortedIntoTheirCells) {
  const StudyPlan plan = tiny_study();
  const std::vector<PlannedRun> runs = result_runs(plan, {});
  std::vector<RunRecord> records(2);
  records[0].id = runs[1].id;
  records[0].seed = 1;
  records[1].id = runs[0].id;
  records[1].seed = 0;
  const StudyResults results = results_of(plan, {}, records, {{runs[2].id, {}, 0, "no"}});
  ASSERT_EQ(results.cells.size(), 2u);
  EXPECT_EQ(results.cells[0].planned, 2);
  ASSERT_EQ(results.cells[0].runs.size(), 2u);
  EXPECT_EQ(results.cells[0].runs[0].seed, 0u);
  EXPECT_EQ(results.cells[0].runs[0].cell, plan.cells[0].cell);
  EXPECT_TRUE(results.cells[1].runs.empty());
  ASSERT_EQ(results.cells[1].failures.size(), 1u);
  EXPECT_EQ(results.cells[1].failures[0].cell.encoding, "alibi");
}

TEST(StudyPlan, ForPeopleHasACellPerLine) {
  StudyPlan plan = tiny_study();
  EXPECT_EQ(plan_text(plan),
            "tiny: 2 cells\n\n"
            "rope on distance, clean: 2 seeds, 20 steps, lr 0.003\n"
            "alibi on distance, clean: 2 seeds, 20 steps, lr 0.003\n");
  plan.cells[0].rates = {0.001, 0.01, 0.1};
  plan.cells[1].rate_of = plan.cells[0].cell;
  plan.cells[1].seeds = {4};
  plan.cells[1].config.train.steps = 7;
  EXPECT_EQ(plan_text(plan),
            "tiny: 2 cells\n\n"
            "rope on distance, clean: 2 seeds, 20 steps, lr best of 0.001, 0.01, 0.1\n"
            "alibi on distance, clean: 1 seeds, 7 steps, lr that of rope on distance, clean\n");
  plan.cells = {plan.cells[0]};
  EXPECT_EQ(plan_text(plan).rfind("tiny: 1 cell\n", 0), 0u);
}

// An id says which rate its run had, so it is enough without any record of the choice.
TEST(StudyPlan, FindsARunByItsIdAtWhateverRate) {
  StudyPlan plan = tiny_study();
  plan.cells[0].rates = {0.001, 0.01};
  plan.cells[1].rate_of = plan.cells[0].cell;
  for (const double rate : {0.001, 0.01}) {
    const std::vector<RateChoice> choice = {{.cell = plan.cells[0].cell, .rate = rate}};
    for (const PlannedRun& run : result_runs(plan, choice)) {
      const PlannedRun found = find_run(plan, run.id);
      EXPECT_EQ(found.cell, run.cell);
      EXPECT_EQ(found.config.train.learning_rate, rate);
      EXPECT_EQ(found.config.seed, run.config.seed);
      EXPECT_FALSE(found.tuning);
      EXPECT_EQ(find_run(plan, run.id.substr(0, 12)).id, run.id);
      std::string capitals = run.id;
      for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      EXPECT_EQ(find_run(plan, capitals).id, run.id);
    }
  }
  EXPECT_TRUE(find_run(plan, tuning_runs(plan)[1].id).tuning);
  const auto refuses = [&](const std::string& id, const std::string& word) {
    try {
      find_run(plan, id);
      return false;
    } catch (const UsageError& error) {
      return std::string(error.what()).find(word) != std::string::npos;
    }
  };
  EXPECT_TRUE(refuses("", "is needed"));
  EXPECT_TRUE(refuses("xyz", "no run of 'tiny'"));
  std::set<char> first;
  std::string shared;
  for (const PlannedRun& run : possible_runs(plan)) {
    if (!first.insert(run.id[0]).second) shared = run.id.substr(0, 1);
  }
  if (!shared.empty()) {
    EXPECT_TRUE(refuses(shared, "among them"));
  }
}

}  // namespace study_plan_test
}  // namespace phasor
