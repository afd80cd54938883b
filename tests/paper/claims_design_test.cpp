#include <gtest/gtest.h>

#include "paper/hand_made.h"

namespace phasor::paper {
namespace claims_design_test {

// Runs with k of four heads rotary: accuracy, and accuracy at twice the length.
CellRuns& add_heads_cell(HandMade& study, int64_t k, double accuracy, double longer, double spread = 0.003) {
  CellRuns& cell = study.add(rotary_heads_cell(k, 4, kDistance, kClean), about(accuracy, spread));
  each(cell, about(longer, 1.1 * spread), [&](RunRecord& run, double value) {
    run.lengths = {{.factor = 1.0, .accuracy = run.test_accuracy}, {.factor = 2.0, .accuracy = value}};
  });
  return cell;
}

JudgedClaim lengths(double one, double one_longer, double all_longer, double spread = 0.003) {
  HandMade study;
  add_heads_cell(study, 1, one, one_longer, spread);
  add_heads_cell(study, 2, 0.90, 0.80, spread);
  add_heads_cell(study, 4, 0.90, all_longer, spread);
  return judge(study.results, "deposit_hurts_length_generalisation");
}

TEST(LengthDesign, ThreeWays) {
  const JudgedClaim holds = lengths(0.90, 0.45, 0.72);
  EXPECT_EQ(holds.verdict, kHolds) << holds.reason;
  EXPECT_TRUE(contains(holds.reason, "all heads - 1 of 4 heads: +0.3 (95 %")) << holds.reason;
  EXPECT_EQ(lengths(0.90, 0.72, 0.72).verdict, kFails) << "as much is kept";
  EXPECT_EQ(lengths(0.90, 0.80, 0.72).verdict, kFails) << "more is kept";
  EXPECT_EQ(lengths(0.90, 0.66, 0.72, 0.03).verdict, kUndetermined);
}

// With one head the task is not learned as well: the fewest that are as accurate are compared.
TEST(LengthDesign, ComparesAtEqualAccuracyOnly) {
  const JudgedClaim judged = lengths(0.50, 0.10, 0.72);
  EXPECT_TRUE(contains(judged.reason, "all heads - 2 of 4 heads")) << judged.reason;
  EXPECT_EQ(judged.verdict, kFails) << "two heads keep 0.89, all of them 0.8";
  HandMade study;
  add_heads_cell(study, 1, 0.50, 0.10);
  add_heads_cell(study, 4, 0.90, 0.72);
  const JudgedClaim open = judge(study.results, "deposit_hurts_length_generalisation");
  EXPECT_EQ(open.verdict, kUndetermined);
  EXPECT_TRUE(contains(open.reason, "with no number of rotary heads") || contains(open.reason, "With no number"))
      << open.reason;
}

// A guess is as good at every length: what is kept is kept above it.
TEST(LengthDesign, GuessesAreNotKept) {
  HandMade study;
  CellRuns& one = add_heads_cell(study, 1, 0.90, 0.10);
  CellRuns& all = add_heads_cell(study, 4, 0.90, 0.10);
  for (CellRuns* cell : {&one, &all}) {
    for (RunRecord& run : cell->runs) run.floors.constant = 0.1;
  }
  const JudgedClaim judged = judge(study.results, "deposit_hurts_length_generalisation");
  EXPECT_NEAR(evidence_of(judged, "accuracy kept on longer sequences, 1 of 4 heads").value, 0.0, 1e-3);
}

TEST(LengthDesign, SaysWhatTheStudyLacks) {
  HandMade study;
  EXPECT_TRUE(contains(judge(study.results, "deposit_hurts_length_generalisation").id, "none"));
  add_heads_cell(study, 4, 0.90, 0.72);
  const JudgedClaim judged = judge(study.results, "deposit_hurts_length_generalisation");
  EXPECT_EQ(judged.verdict, kUndetermined);
  EXPECT_TRUE(judged.unasked);
  EXPECT_TRUE(contains(judged.reason, "o cell of this study has few rotary heads")) << judged.reason;
}

// Accuracies with one head off, of three layers of four heads; the intact model has 0.9.
JudgedClaim lost(double one, double all, double spread = 0.003) {
  HandMade study;
  const auto fill = [&](int64_t k, double worst) {
    each(
        study.add(rotary_heads_cell(k, 4, kDistance, kClean), about(0.9, 0.9 * spread)), about(worst, spread),
        [](RunRecord& run, double value) {
          run.ablation = ablation_record(Deposit::undetermined);
          run.ablation->importance->accuracies = {{0.8, 0.85, 0.9, 0.9}, {0.9, value, 0.9, 0.9}, {0.9, 0.9, 0.9, 0.88}};
        });
  };
  fill(1, one);
  fill(4, all);
  return judge(study.results, "deposit_hurts_when_heads_are_lost");
}

TEST(LostHeads, ThreeWays) {
  const JudgedClaim holds = lost(0.20, 0.70);
  EXPECT_EQ(holds.verdict, kHolds) << holds.reason;
  EXPECT_NEAR(evidence_of(holds, "accuracy kept without the head that costs most, 1 of 4 heads").value, 0.2 / 0.9,
              1e-3);
  EXPECT_EQ(lost(0.70, 0.70).verdict, kFails);
  EXPECT_EQ(lost(0.64, 0.70, 0.04).verdict, kUndetermined);
}

}  // namespace claims_design_test
}  // namespace phasor::paper
