#include "phasor/paper/audit.h"

#include <gtest/gtest.h>

#include "paper/hand_made.h"
#include "phasor/ablation/verdict_clauses.h"

namespace phasor::paper {
namespace audit_test {

CellRuns& fill(HandMade& study, const CellName& name, const Numbers& percent, const Numbers& shares,
               const std::vector<Deposit>& found) {
  Numbers accuracies;
  for (const double value : percent) accuracies.push_back(value / 100.0);
  CellRuns& cell = study.add(name, accuracies);
  for (size_t i = 0; i < cell.runs.size(); ++i) {
    const double rest = (1.0 - shares[i]) / 3.0;
    cell.runs[i].ablation = ablation_record(found[i], {shares[i], rest, rest, rest});
  }
  return cell;
}

constexpr auto kD = Deposit::deposit, kS = Deposit::spread, kU = Deposit::undetermined;

const Confound& confound(size_t index) {
  static const std::vector<Confound> kAll = confounds();
  return kAll[index];
}

// Two of the switches, rope, from released towards clean.
HandMade study_of_two() {
  HandMade study;
  fill(study, {kDistance, kReleased, "rope", ""}, {40, 44, 38, 41, 37}, {0.9, 0.8, 0.95, 0.85, 1.0},
       {kD, kD, kD, kS, kU})
      .runs[0]
      .converged = false;
  CellRuns& first = fill(study, audit_cell("rope", kReleased, confound(0)), {61, 66, 58, 64, 62},
                         {0.5, 0.6, 0.4, 0.55, 0.7}, {kS, kS, kS, kS, kD});
  first.runs[1].converged = false;
  first.planned = 6;
  first.failures.push_back({.id = "x", .cell = first.cell, .seed = 5, .what = "it diverged"});
  fill(study, audit_cell("rope", kReleased, confound(1)), {41, 39, 45, 40, 38}, {0.9, 0.85, 0.8, 0.95, 0.9},
       {kD, kD, kD, kD, kD});
  return study;
}

// SciPy 1.10: means, Welch's intervals, permutation_test over all 252 splits; Holm over the two by hand.
TEST(Audit, AgreesWithScipy) {
  const std::vector<AuditBlock> blocks = audit(study_of_two().results);
  ASSERT_EQ(blocks.size(), 1u);
  ASSERT_EQ(blocks[0].rows.size(), 2u);
  EXPECT_EQ(blocks[0].encoding, "rope");
  EXPECT_EQ(blocks[0].base, kReleased);
  EXPECT_NEAR(*blocks[0].base_accuracy, 40.0, 1e-9);
  EXPECT_NEAR(*blocks[0].base_max_share, 0.9, 1e-9);
  const AuditRow& first = blocks[0].rows[0];
  EXPECT_EQ(first.name, "keys_values");
  EXPECT_NEAR(first.accuracy->mean, 62.2, 1e-9);
  EXPECT_NEAR(first.accuracy->change.estimate, 22.2, 1e-9);
  EXPECT_NEAR(first.accuracy->change.low, 17.978009932065873, 1e-8);
  EXPECT_NEAR(first.accuracy->change.high, 26.421990067934132, 1e-8);
  EXPECT_NEAR(first.accuracy->test.p, 2.0 / 252.0, 1e-12);
  EXPECT_NEAR(first.accuracy->holm, 4.0 / 252.0, 1e-12);
  EXPECT_NEAR(first.max_share->change.estimate, -0.35, 1e-9);
  EXPECT_NEAR(first.max_share->change.low, -0.4939916531857227, 1e-8);
  EXPECT_NEAR(first.max_share->change.high, -0.20600834681427724, 1e-8);
  const AuditRow& second = blocks[0].rows[1];
  EXPECT_NEAR(second.accuracy->change.estimate, 0.6, 1e-9);
  EXPECT_NEAR(second.accuracy->change.low, -3.3675256410179832, 1e-8);
  EXPECT_NEAR(second.accuracy->test.p, 0.8015873015873016, 1e-12);
  EXPECT_NEAR(second.accuracy->holm, 0.8015873015873016, 1e-12);
  EXPECT_NEAR(second.max_share->change.high, 0.08228819302227385, 1e-8);
}

TEST(Audit, CountsRunsAndVerdictsAndKeepsUnconvergedOnes) {
  const AuditBlock block = audit(study_of_two().results)[0];
  EXPECT_EQ(block.base_counts.unconverged, 1);
  EXPECT_EQ(block.base_counts.deposit, 3);
  EXPECT_EQ(block.base_counts.spread, 1);
  EXPECT_EQ(block.base_counts.undetermined, 1);
  EXPECT_EQ(block.base_counts.not_used, 0);
  const AuditCounts& counts = block.rows[0].counts;
  EXPECT_EQ(counts.planned, 6);
  EXPECT_EQ(counts.finished, 5);
  EXPECT_EQ(counts.unconverged, 1);
  EXPECT_EQ(counts.failed, 1);
  EXPECT_EQ(counts.deposit, 1);
  EXPECT_EQ(counts.spread, 4);
  EXPECT_EQ(block.rows[0].accuracy->switched.size(), 5u) << "unconverged runs stay in";
}

TEST(Audit, SaysWhichSwitchesMoveWhat) {
  const HandMade study = study_of_two();
  EXPECT_EQ(audit(study.results)[0].finding,
            "rope, released but for one choice: accuracy is changed by keys_values by +22.2 points (95 % 18.0 to "
            "26.4); the largest share of a head is changed by keys_values by -0.35 (95 % -0.494 to -0.206).");
}

// The largest estimate is not what is told, but what is sure.
TEST(Audit, AnUnsureChangeHidesNoSureOne) {
  HandMade study = study_of_two();
  fill(study, audit_cell("rope", kReleased, confound(2)), {20, 99, 98, 25, 99}, {0.5, 0.6, 0.4, 0.55, 0.7},
       {kS, kS, kS, kS, kS});
  const std::string finding = audit(study.results)[0].finding;
  EXPECT_NE(finding.find("accuracy is changed by keys_values by"), std::string::npos) << finding;
  study.results.cells.erase(study.results.cells.begin() + 1);
  const std::string unsure = audit(study.results)[0].finding;
  EXPECT_NE(unsure.find("accuracy is changed by no switch significantly, most by final_norm"), std::string::npos)
      << unsure;
}

// All switched runs are better than all others, but with one of these far off the interval cannot tell by how much.
TEST(Audit, ATestWhoseIntervalHoldsZeroIsNotSure) {
  HandMade study;
  const Numbers shares(5, 0.5);
  const std::vector<Deposit> found(5, kS);
  fill(study, {kDistance, kReleased, "rope", ""}, {40, 44, 38, 41, 5}, shares, found);
  fill(study, audit_cell("rope", kReleased, confound(0)), {46, 47, 45, 48, 46}, shares, found);
  const AuditBlock block = audit(study.results)[0];
  EXPECT_LE(block.rows[0].accuracy->holm, 0.05);
  EXPECT_LT(block.rows[0].accuracy->change.low, 0.0);
  EXPECT_NE(block.finding.find("accuracy is changed by no switch significantly, most by keys_values"),
            std::string::npos)
      << block.finding;
}

TEST(Audit, SharesOfRunsAtTheirFloorAreLeftOut) {
  HandMade study = study_of_two();
  for (size_t i = 0; i < 2; ++i) {
    for (LayerVerdict& layer : study.results.cells[0].runs[i].ablation->position->judged.run.layers) {
      layer.clauses = {{.name = kFloorClause, .holds = false}};
    }
  }
  const AuditRow row = audit(study.results)[0].rows[0];
  EXPECT_EQ(row.max_share->base.size(), 3u);
  EXPECT_EQ(row.accuracy->base.size(), 5u);
}

TEST(Audit, KnowsWhatTheSamplesAllow) {
  HandMade study = study_of_two();
  for (RunRecord& run : study.results.cells[0].runs) run.floors.ceiling = 0.965;
  const AuditBlock block = audit(study.results)[0];
  EXPECT_NEAR(*block.base_ceiling, 96.5, 1e-9);
  EXPECT_FALSE(block.rows[0].ceiling) << "not measured";
}

TEST(Audit, ANumberThatASideLacksIsLeftOutAndCountsInHolm) {
  HandMade study = study_of_two();
  for (RunRecord& run : study.results.cells[2].runs) run.ablation.reset();
  const AuditBlock block = audit(study.results)[0];
  EXPECT_FALSE(block.rows[1].max_share.has_value());
  EXPECT_TRUE(block.rows[1].accuracy.has_value());
  EXPECT_NEAR(block.rows[0].max_share->holm, 4.0 / 252.0, 1e-12);
}

TEST(Audit, BlocksForEveryEncodingAndBaseThatTheStudyHas) {
  HandMade study;
  for (const std::string& encoding : audited_encodings()) {
    for (const char* base : {kReleased, kClean}) {
      study.add(audit_base_cell(encoding, base), about(0.5));
      study.add(audit_cell(encoding, base, confound(5)), about(0.6));
    }
  }
  const std::vector<AuditBlock> blocks = audit(study.results);
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[1].base, kClean);
  EXPECT_EQ(blocks[3].encoding, "sinusoidal");
  EXPECT_EQ(blocks[3].rows[0].name, "answers");
  EXPECT_TRUE(audit({}).empty());
  HandMade unswitched;
  unswitched.add(audit_base_cell("rope", kClean), about(0.5));
  EXPECT_TRUE(audit(unswitched.results).empty());
}

}  // namespace audit_test
}  // namespace phasor::paper
