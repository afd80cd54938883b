#include "phasor/report/oddities.h"

#include <gtest/gtest.h>

#include "study/records.h"

namespace phasor {
namespace oddities_test {

using namespace testing_support;
using Texts = std::vector<std::string>;

const std::vector<double> kFive = {0.90, 0.91, 0.92, 0.93, 0.94};
const char* const kNothing = "Nothing: all planned runs finished, enough for comparisons, and converged.";

StudyResults usual() {
  StudyResults results;
  results.cells = {cell_runs(kRope, kFive), cell_runs(kAlibi, kFive)};
  return results;
}

std::vector<Oddity> odd(const StudyResults& results) { return study_oddities(summarize(results)); }

Texts texts(const StudyResults& results) {
  Texts all;
  for (const Oddity& oddity : odd(results)) all.push_back(oddity.text);
  return all;
}

TEST(Oddities, NothingIsSaidToo) {
  EXPECT_EQ(texts(usual()), Texts{kNothing});
  EXPECT_TRUE(odd(usual())[0].details.empty());
}

TEST(Oddities, FailedRuns) {
  StudyResults results = usual();
  results.cells[0].failures.push_back({.id = "x", .cell = kRope});
  results.cells[0].planned = 6;
  EXPECT_EQ(texts(results), Texts{"1 run failed and has no accuracy."});
  EXPECT_EQ(odd(results)[0].details, Texts{"rope on distance, clean: 1"});
  results.cells[1].failures = {{.id = "y", .cell = kAlibi}};
  results.cells[1].planned = 6;
  EXPECT_EQ(texts(results), Texts{"2 runs failed and have no accuracy."});
}

TEST(Oddities, MissingRuns) {
  StudyResults results = usual();
  results.cells[1].planned = 6;
  EXPECT_EQ(texts(results), Texts{"1 planned run is not there yet."});
  EXPECT_EQ(odd(results)[0].details, Texts{"alibi on distance, clean: 1 of 6"});
  results.cells[1].planned = 7;
  EXPECT_EQ(texts(results), Texts{"2 planned runs are not there yet."});
  results.cells[1].planned = 4;
  EXPECT_EQ(texts(results), Texts{kNothing}) << "more than planned is none too few";
}

TEST(Oddities, UnconvergedRuns) {
  StudyResults results = usual();
  results.cells[0].runs[2].converged = false;
  EXPECT_EQ(texts(results), Texts{"1 of 10 runs has not converged: all count, for what their steps are worth."});
  EXPECT_EQ(odd(results)[0].details, Texts{"rope on distance, clean: 1 of 5"});
  for (RunRecord& run : results.cells[0].runs) run.converged = false;
  EXPECT_EQ(texts(results), Texts{"5 of 10 runs have not converged: all count, for what their steps are worth."});
}

TEST(Oddities, ComparisonsThatHangOnRunsStillImproving) {
  StudyResults results = usual();
  results.cells[0] = cell_runs(kRope, {0.9, 0.9, 0.75});
  results.cells[1] = cell_runs(kAlibi, {0.87, 0.87, 0.88});
  results.cells[0].runs[2].converged = false;
  const std::vector<Oddity> found = study_oddities(summarize(results, compare_all(results, {{kRope, kAlibi, {}}})));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].text, "The order of 1 comparison would turn without runs that have not converged.");
  ASSERT_EQ(found[1].details.size(), 1u);
  EXPECT_NE(found[1].details[0].find("the order would turn (+2.7 points)"), std::string::npos) << found[1].details[0];
}

TEST(Oddities, ComparisonsThatAPermutationTestDisputes) {
  StudyResults results = usual();
  results.cells[0] = cell_runs(kRope, {0.90, 0.91, 0.92, 0.93, 0.99});
  results.cells[1] = cell_runs(kAlibi, {0.05, 0.80, 0.81, 0.82, 0.83});
  const std::vector<Oddity> found = study_oddities(summarize(results, compare_all(results, {{kRope, kAlibi, {}}})));
  EXPECT_EQ(found.back().text, "In 1 comparison the permutation test says otherwise than the interval, which decides.");
}

TEST(Oddities, RatesAtTheEdgeOfTheGrid) {
  StudyResults results = usual();
  results.rates = {
      {.cell = kRope, .rate = 1e-3, .trials = {{"a", 3e-4, {}, {}}, {"b", 1e-3, {}, {}}, {"c", 3e-3, {}, {}}}}};
  EXPECT_EQ(texts(results), Texts{kNothing});
  results.rates[0].rate = 3e-3;
  EXPECT_EQ(texts(results), Texts{"1 learning rate chosen at the edge of the grid: a better one may lie beyond."});
  EXPECT_EQ(odd(results)[0].details, Texts{"rope on distance, clean: 0.003, the highest of 3"});
  results.rates[0].rate = 3e-4;
  EXPECT_EQ(odd(results)[0].details, Texts{"rope on distance, clean: 0.0003, the lowest of 3"});
  results.rates[0].trials.resize(1);
  EXPECT_EQ(texts(results), Texts{kNothing}) << "one rate is no grid";
}

TEST(Oddities, FewSeeds) {
  const auto with = [](size_t runs) {
    StudyResults results;
    results.cells = {cell_runs(kRope, {kFive.begin(), kFive.begin() + static_cast<std::ptrdiff_t>(runs)})};
    return texts(results);
  };
  EXPECT_EQ(with(1), Texts{"1 finished run per cell at most: comparisons need 3 on each side."});
  EXPECT_EQ(with(2), Texts{"2 finished runs per cell at most: comparisons need 3 on each side."});
  EXPECT_EQ(with(3), Texts{kNothing});
  EXPECT_EQ(with(0), Texts{kNothing});
  StudyResults results;
  CellName variant = kRope;
  variant.variant = "another";
  results.cells = {cell_runs(kRope, {0.9, 0.9}), cell_runs(variant, kFive)};
  EXPECT_NE(texts(results)[0].find("2 finished runs per cell at most"), std::string::npos)
      << "variants are beside the point";
}

TEST(Oddities, CellsOfTwoKindsOfRuns) {
  StudyResults results = usual();
  results.cells[0] = cell_runs(kRope, {0.70, 0.75, 0.8, 0.85, 0.899});
  EXPECT_EQ(texts(results), Texts{kNothing});
  results.cells[0] = cell_runs(kRope, {0.70, 0.75, 0.8, 0.85, 0.901});
  EXPECT_EQ(texts(results), Texts{"Runs lie more than 20 points apart in 1 cell. "
                                  "No test of means is right there; compare how many learned."});
  EXPECT_EQ(odd(results)[0].details, Texts{"rope on distance, clean: 70.0 % to 90.1 %, 1 of 5 runs at 90 %"});
}

TEST(Oddities, TrainingSetsFittedTooWell) {
  StudyResults results = usual();
  for (RunRecord& run : results.cells[0].runs) run.train_accuracy = run.test_accuracy + 0.099;
  EXPECT_EQ(texts(results), Texts{kNothing});
  for (RunRecord& run : results.cells[0].runs) run.train_accuracy = run.test_accuracy + 0.101;
  EXPECT_EQ(texts(results), Texts{"1 cell fits the training set better than the test set by more than 10 points."});
  EXPECT_EQ(odd(results)[0].details, Texts{"rope on distance, clean: training accuracy 10.1 points higher"});
  for (RunRecord& run : results.cells[1].runs) run.train_accuracy = run.test_accuracy + 0.2;
  EXPECT_EQ(texts(results), Texts{"2 cells fit the training set better than the test set by more than 10 points."});
}

}  // namespace oddities_test
}  // namespace phasor
