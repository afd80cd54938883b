// What summary.csv and claims.csv hold is enough for the tables of the product: those of runs that were written and
// read back are those of the runs.
#include "results/recorded_runs.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/paper/audit.h"
#include "phasor/paper/paper_cells.h"
#include "phasor/paper/paper_comparisons.h"
#include "phasor/paper/paper_json.h"
#include "phasor/paper/paper_text.h"
#include "phasor/paper/road_study.h"
#include "phasor/paper/trained_road_output.h"
#include "phasor/report/story.h"
#include "phasor/report/story_output.h"
#include "phasor/study/summary/study_csv.h"
#include "study/records.h"

namespace phasor::results {
namespace recorded_runs_test {

using namespace testing_support;

// Three runs that differ in all they have.
CellRuns full_cell(const CellName& name, double accuracy) {
  CellRuns cell = cell_runs(name, {accuracy, accuracy - 0.02, accuracy - 0.05});
  for (RunRecord& run : cell.runs) {
    const auto seed = static_cast<double>(run.seed);
    run.data_seed = run.seed;
    run.test_samples = 2048;
    run.floors = {.constant = 0.05, .ceiling = 0.97, .samples = 100};
    run.converged = run.seed > 0;
    run.loss_area = 0.2 + 0.01 * seed;
    if (run.seed < 2) run.steps_to_90 = 100 + 50 * static_cast<int64_t>(run.seed);
    run.curve = {{.step = 50}, {.step = 100}, {.step = 150}, {.step = 200}};
    run.lengths = {{1.0, 40, accuracy}, {2.0, 80, accuracy / (1.0 + seed)}};
    run.ablation = ablation_record(2000, accuracy, run.seed == 1 ? even() : concentrated(static_cast<uint32_t>(seed)));
    run.ablation->importance = even();
    run.spectrum = SpectrumRecord{
        .logit_interaction = 0.1 + 0.02 * seed, .positional_share = 0.2, .content_share = 0.7 - 0.03 * seed};
  }
  return cell;
}

StudyResults again(const StudyResults& results) {
  const CsvTable table = parse_csv(study_csv(results), "runs.csv");
  return recorded_runs(table, all_rows(table), results.name);
}

std::string screen(const StudyResults& results, const std::vector<paper::JudgedClaim>& claims) {
  return story_screen(study_story(summarize(results, paper::paper_comparisons(results)), claims));
}

TEST(RecordedRuns, TheScreenOfAStudy) {
  StudyResults results{.name = "a study", .preset = "", .cells = {}, .rates = {}};
  double accuracy = 0.99;
  for (const char* encoding : {"rope", "alibi", "sinusoidal", "nope"}) {
    results.cells.push_back(
        full_cell({.task = "distance", .protocol = "clean", .encoding = encoding, .variant = ""}, accuracy));
    accuracy -= 0.3;
  }
  results.cells.back().failures.push_back(
      {.id = "nope-3", .cell = results.cells.back().cell, .seed = 3, .what = "not finite"});
  ++results.cells.back().planned;
  const std::vector<paper::JudgedClaim> claims = {
      {.id = "rope_best_on_distance",
       .protocol = "clean",
       .verdict = paper::ClaimVerdict::holds,
       .reason = "So, \"so\"."},
      {.id = "rope_best_on_indirect", .protocol = "clean", .verdict = paper::ClaimVerdict::fails, .post_hoc = true},
      {.id = "rope_solution_space_larger", .protocol = "any", .verdict = paper::ClaimVerdict::undetermined}};
  const std::string expected = screen(results, claims);
  for (const char* part : {"96.7", "1 failed", "█", "DEPOSIT 2/3", "points", "post hoc", "HOLDS"}) {
    EXPECT_NE(expected.find(part), std::string::npos) << part << "\n" << expected;
  }
  const CsvTable judged = parse_csv(paper::claims_csv(claims), "claims.csv");
  EXPECT_EQ(screen(again(results), recorded_claims(judged)), expected);
  EXPECT_EQ(paper::claims_text(recorded_claims(judged), TableFormat::markdown),
            paper::claims_text(claims, TableFormat::markdown));
}

TEST(RecordedRuns, TheRoad) {
  StudyResults results{.name = "the road", .preset = "", .cells = {}, .rates = {}};
  double accuracy = 0.99;
  for (const std::string& encoding : paper::road_encodings()) {
    results.cells.push_back(full_cell(
        {.task = paper::road_tasks()[0], .protocol = "clean", .encoding = encoding, .variant = ""}, accuracy));
    accuracy -= 0.07;
  }
  const auto text = [](const StudyResults& runs) {
    const paper::TrainedRoad road = paper::trained_road(runs);
    std::string all = to_text(paper::trained_road_table(road), TableFormat::markdown);
    for (const std::string& sentence : paper::trained_road_reading(road)) all += sentence + "\n";
    return all;
  };
  EXPECT_NE(text(results).find("points"), std::string::npos) << text(results);
  EXPECT_EQ(text(again(results)), text(results));
}

TEST(RecordedRuns, TheAudit) {
  StudyResults results{.name = "an audit", .preset = "", .cells = {}, .rates = {}};
  results.cells.push_back(full_cell(paper::audit_base_cell("rope", paper::kReleased), 0.9));
  for (const paper::Confound& confound : paper::confounds()) {
    results.cells.push_back(full_cell(paper::audit_cell("rope", paper::kReleased, confound), 0.8));
  }
  const auto text = [](const StudyResults& runs) {
    return paper::audit_text(paper::audit(runs), TableFormat::markdown);
  };
  EXPECT_NE(text(results).find("97.0"), std::string::npos) << "the ceiling\n" << text(results);
  EXPECT_EQ(text(again(results)), text(results));
}

// Differences of steps rest on the evaluations around them.
TEST(RecordedRuns, ComparisonsOfSteps) {
  const CellRuns x = full_cell(kRope, 0.99), y = full_cell(kAlibi, 0.6);
  const StudyResults read = again({.name = "", .preset = "", .cells = {x, y}, .rates = {}});
  for (const ComparedQuantity quantity : {ComparedQuantity::steps_to_90, ComparedQuantity::test_accuracy,
                                          ComparedQuantity::position_max_share, ComparedQuantity::loss_area}) {
    const Comparison expected = compare(x, y, {quantity}), found = compare(read.cells[0], read.cells[1], {quantity});
    ASSERT_TRUE(expected.difference && found.difference);
    EXPECT_EQ(found.difference->low, expected.difference->low);
    EXPECT_EQ(found.difference->high, expected.difference->high);
    EXPECT_EQ(found.reading, expected.reading);
  }
}

TEST(RecordedRuns, WordsThatNobodyWrote) {
  const CsvTable runs = parse_csv("id,encoding,test_accuracy,position_verdict\na,rope,0.5,SPRED\n", "runs.csv");
  EXPECT_THROW(recorded_runs(runs, all_rows(runs)), Error);
  EXPECT_THROW(recorded_claims(parse_csv("id,protocol,verdict\na,clean,perhaps\n", "claims.csv")), Error);
}

}  // namespace recorded_runs_test
}  // namespace phasor::results
