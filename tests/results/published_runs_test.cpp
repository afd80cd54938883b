// Every run of a published study can be repeated by its id: docs/results has the plans, and their runs are those of the
// CSV files beside them. Today's 'phasor reproduce' has them too, so that an id is enough for it.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "phasor/base/file.h"
#include "phasor/paper/paper_study.h"
#include "phasor/paper/road_study.h"
#include "phasor/statistics/summary.h"
#include "phasor/study/plan/study_file.h"
#include "phasor/study/records/registration.h"
#include "phasor/study/summary/detectable.h"
#include "results/csv_table.h"
#include "support/paths.h"

namespace phasor::results {
namespace published_runs_test {

std::string results_file(const std::string& name) {
  return std::string(fixtures_folder()) + "/../../docs/results/" + name;
}

CsvTable table(const std::string& name) { return parse_csv(read_file(results_file(name)), name); }

void expect_all_runs(const std::string& study, const StudyPlan& today) {
  const std::string file = results_file(study + "_study.json");
  const StudyPlan plan = read_study(read_file(file), file);
  EXPECT_EQ(plan_hash(plan), plan_hash(today)) << study << ": 'phasor reproduce' has another plan by now";
  std::map<std::string, PlannedRun> runs;
  for (PlannedRun& run : possible_runs(plan)) runs.emplace(run.id, std::move(run));
  const CsvTable published = table(study + "_runs.csv");
  ASSERT_FALSE(published.rows.empty());
  for (const CsvRow& row : published.rows) {
    const auto found = runs.find(published.text(row, "id"));
    ASSERT_NE(found, runs.end()) << published.text(row, "id");
    const PlannedRun& run = found->second;
    EXPECT_EQ(std::to_string(run.config.seed), published.text(row, "seed"));
    EXPECT_EQ(run.config.task, published.text(row, "task"));
    EXPECT_EQ(run.config.protocol, published.text(row, "protocol"));
    EXPECT_EQ(run.config.model.encoding, published.text(row, "encoding"));
    EXPECT_EQ(run.config.train.learning_rate, published.number(row, "learning_rate"));
    EXPECT_EQ(static_cast<double>(run.config.train.steps), published.number(row, "steps"));
    EXPECT_EQ(std::to_string(run.config.data.seed), published.text(row, "data_seed"));
    EXPECT_FALSE(run.tuning);
  }
}

TEST(PublishedRuns, OfTheDemoAreInItsPlan) {
  expect_all_runs("demo", paper::paper_study({.preset = "demo", .protocols = paper::Protocols::clean}));
}

TEST(PublishedRuns, OfTheQuickStudyAreInItsPlan) { expect_all_runs("quick", paper::paper_study({.preset = "quick"})); }

TEST(PublishedRuns, OfTheRoadAreInItsPlan) { expect_all_runs("road", paper::road_study({})); }

// What 'phasor study --dry-run' takes for the spread of runs where nothing is measured yet.
TEST(PublishedRuns, ScatterAsStudiesAreToldBeforehand) {
  const CsvTable runs = table("quick_runs.csv");
  std::map<std::string, std::vector<double>> cells;
  for (const CsvRow& row : runs.rows) {
    if (runs.text(row, "protocol") != "clean") continue;
    cells[runs.text(row, "task") + "," + runs.text(row, "encoding") + "," + runs.text(row, "variant")].push_back(
        runs.number(row, "test_accuracy").value());
  }
  std::vector<double> deviations;
  for (const auto& [cell, accuracies] : cells) deviations.push_back(statistics::standard_deviation(accuracies));
  EXPECT_EQ(std::round(1000.0 * statistics::median(deviations)) / 1000.0, kUsualDeviation);
  EXPECT_EQ(std::round(1000.0 * statistics::quantile(deviations, 0.25)), 5.0);
  EXPECT_EQ(std::round(1000.0 * statistics::quantile(deviations, 0.75)), 58.0);
}

}  // namespace published_runs_test
}  // namespace phasor::results
