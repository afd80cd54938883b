#include <gtest/gtest.h>

#include "paper/hand_made.h"

namespace phasor::paper {
namespace claims_heads_test {

using Verdicts = std::vector<Deposit>;
constexpr auto kD = Deposit::deposit, kP = Deposit::partial, kS = Deposit::spread, kN = Deposit::not_used,
               kU = Deposit::undetermined;

CellRuns& add_verdicts(HandMade& study, const std::string& encoding, const Verdicts& found,
                       const std::string& task = kDistance, const std::string& protocol = kClean) {
  CellRuns& cell = study.add(encoding, task, protocol, Numbers(found.size(), 0.95));
  verdicts(cell, found);
  return cell;
}

JudgedClaim judged_rope(const Verdicts& found, const char* id, const std::string& task,
                        const std::string& protocol = kClean) {
  HandMade study;
  add_verdicts(study, "RoPE", found, task, protocol);
  return judge(study.results, id, protocol);
}

TEST(RopeDeposit, ThreeWays) {
  const auto verdict = [](const Verdicts& found) {
    return judged_rope(found, "deposit_rope_distance", kDistance).verdict;
  };
  EXPECT_EQ(verdict({kD, kD, kD, kD, kD}), kHolds);
  EXPECT_EQ(verdict({kS, kN, kS, kS, kN}), kFails) << "spread and unused are both no deposit";
  EXPECT_EQ(verdict({kP, kP, kS, kP, kP}), kFails) << "neither one head nor spread is no deposit either";
  EXPECT_EQ(verdict({kD, kS, kS, kS, kS}), kUndetermined) << "4 of 5 bound by 0.34 only";
  EXPECT_EQ(verdict({kU, kU, kU, kU, kU}), kUndetermined) << "not knowing is no refutation";
  EXPECT_EQ(verdict({kD, kD, kD, kD}), kUndetermined) << "four of four bound by 0.47 only";
  EXPECT_EQ(verdict({kD, kD}), kUndetermined);
  EXPECT_TRUE(contains(judged_rope({kD, kD, kD, kD}, "deposit_rope_distance", kDistance).reason,
                       "4 runs of RoPE can show at best that 0.47 of all runs would be alike"));
}

// 4 of 5 alike: 8 of 10 bound by 0.493, 10 of 13 by 0.505.
TEST(RopeDeposit, SaysHowManyRunsWouldDecide) {
  const auto needs = [](const Verdicts& found) { return judged_rope(found, "deposit_rope_distance", kDistance).needs; };
  EXPECT_EQ(needs({kD, kS, kS, kS, kS}), "about 13 runs, if they go on like these");
  EXPECT_EQ(needs({kD, kD, kS, kS, kU}), "a size at which more than half of all runs are alike");
  EXPECT_EQ(needs({kD, kD, kD}), "at least 5 finished runs that agree");
}

TEST(RopeDeposit, QuotesBothQuestionsAndTheHybrid) {
  HandMade study;
  add_verdicts(study, "RoPE", {kD, kD, kD, kS, kU}, kDistance, kReleased);
  add_verdicts(study, "RoPE+Absolute", {kS, kS, kS, kS, kS}, kDistance, kReleased);
  const JudgedClaim judged = judge(study.results, "deposit_rope_distance", kReleased);
  ASSERT_EQ(judged.evidence.size(), 6u);
  EXPECT_EQ(judged.evidence[0].what, "share of runs judged DEPOSIT by position, RoPE");
  EXPECT_EQ(judged.evidence[0].value, 0.6);
  EXPECT_NEAR(judged.evidence[0].low, 0.1466328, 1e-6) << "Clopper and Pearson, 3 of 5";
  EXPECT_EQ(judged.evidence[0].text, "3 DEPOSIT, 0 PARTIAL, 1 SPREAD, 0 NOT USED, 1 UNDETERMINED of 5 runs");
  EXPECT_NEAR(judged.evidence[1].value, 0.7, 1e-12);
  EXPECT_EQ(judged.evidence[2].what, "share of runs judged DEPOSIT by importance, RoPE");
  EXPECT_EQ(judged.evidence[4].what, "share of runs judged DEPOSIT by position, RoPE+Absolute");
  EXPECT_EQ(judged.verdict, kUndetermined) << "the hybrid's runs do not count";
}

TEST(RopeDeposit, RunsThatWereStillImprovingCount) {
  HandMade study;
  CellRuns& rope = add_verdicts(study, "RoPE", {kD, kD, kD, kD, kD});
  rope.runs[4].converged = false;
  const JudgedClaim judged = judge(study.results, "deposit_rope_distance");
  EXPECT_EQ(judged.verdict, kHolds);
  EXPECT_TRUE(contains(judged.reason, "f 5 runs of RoPE 1 was still improving")) << judged.reason;
}

// Runs whose largest head has the given share of the drops, the others the rest.
CellRuns& add_shares(HandMade& study, const std::string& encoding, const Numbers& shares, Deposit verdict = kU,
                     const std::string& task = kDistance) {
  CellRuns& cell = study.add(encoding, task, kClean, Numbers(shares.size(), 0.95));
  each(cell, shares, [&](RunRecord& run, double share) {
    const double rest = (1.0 - share) / 3.0;
    run.ablation = ablation_record(verdict, {share, rest, rest, rest});
  });
  return cell;
}

// Three runs cannot say what most runs would be; that no head has half of the drops they can.
TEST(RopeDeposit, SmallSharesRefuteAtThreeRuns) {
  HandMade study;
  add_shares(study, "RoPE", {0.30, 0.32, 0.29});
  const JudgedClaim judged = judge(study.results, "deposit_rope_distance");
  EXPECT_EQ(judged.verdict, kFails) << judged.reason;
  EXPECT_TRUE(contains(judged.reason, "The largest share of a head is 0.303")) << judged.reason;
  HandMade other;
  add_shares(other, "RoPE", {0.70, 0.72, 0.69});
  EXPECT_EQ(judge(other.results, "deposit_rope_distance").verdict, kUndetermined);
}

TEST(RopeDeposit, HasItsContinuousAnswer) {
  HandMade study;
  add_shares(study, "RoPE", about(0.80, 0.01), kD);
  add_shares(study, "Absolute", about(0.40, 0.01), kS);
  const JudgedClaim judged = judge(study.results, "deposit_rope_distance");
  const Evidence share = evidence_of(judged, "largest share of a head by position, RoPE - Absolute");
  EXPECT_NEAR(share.value, 0.4, 1e-9);
  EXPECT_GT(share.low, 0.35);
  EXPECT_TRUE(contains(judged.reason, "Largest share of a head: RoPE - Absolute: +0.4 (95 %")) << judged.reason;
}

HandMade concentration_study(double rope, double alibi, double spread = 0.01) {
  HandMade study;
  add_shares(study, "RoPE", about(rope, spread));
  for (const char* other : {"Absolute", "Random", "Relative"}) add_shares(study, other, about(0.35, 0.9 * spread));
  add_shares(study, "ALiBi", about(alibi, 1.1 * spread));
  return study;
}

TEST(RopeConcentrates, ThreeWays) {
  const auto verdict = [](const HandMade& study) { return judge(study.results, "rope_concentrates_more").verdict; };
  EXPECT_EQ(verdict(concentration_study(0.70, 0.50)), kHolds);
  EXPECT_EQ(verdict(concentration_study(0.70, 0.90)), kFails) << "ALiBi concentrates more";
  EXPECT_EQ(verdict(concentration_study(0.70, 0.68, 0.001)), kFails) << "more by less than 0.05";
  EXPECT_EQ(verdict(concentration_study(0.70, 0.66, 0.06)), kUndetermined);
  HandMade three = concentration_study(0.70, 0.50);
  for (CellRuns& cell : three.results.cells) keep(cell, 3);
  EXPECT_EQ(verdict(three), kHolds) << "three runs decide";
  three.remove("Random", kDistance, kClean);
  EXPECT_EQ(verdict(three), kUndetermined);
}

// What position is worth in each of three layers.
void set_layers(CellRuns& cell, const std::vector<Numbers>& costs) {
  for (size_t i = 0; i < cell.runs.size(); ++i) {
    RunVerdict& verdict = cell.runs[i].ablation->position->judged.run;
    for (size_t l = 0; l < 3; ++l) {
      verdict.layers[l].effect.layer = {costs[i][l], 0.9 * costs[i][l], 1.1 * costs[i][l]};
    }
  }
}

TEST(EarlyLayers, ThreeWays) {
  const auto judged = [](const std::vector<Numbers>& costs) {
    HandMade study;
    set_layers(add_shares(study, "RoPE", Numbers(costs.size(), 0.7), kD), costs);
    return judge(study.results, "deposit_in_early_layers");
  };
  const JudgedClaim holds = judged({{8, 1, 1}, {7, 2, 1}, {9, 1, 0}});
  EXPECT_EQ(holds.verdict, kHolds) << holds.reason;
  EXPECT_TRUE(contains(holds.reason, "0.8 (95 %")) << holds.reason;
  EXPECT_TRUE(contains(holds.reason, "first 1 of 3 layers; deposits there: 3 of 3")) << holds.reason;
  EXPECT_EQ(judged({{1, 8, 1}, {2, 7, 1}, {1, 9, -1}}).verdict, kFails) << "a gain counts as nothing lost";
  EXPECT_EQ(judged({{8, 1, 1}, {2, 7, 1}, {6, 2, 2}}).verdict, kUndetermined);
  EXPECT_EQ(judged({{8, 1, 1}, {7, 2, 1}}).verdict, kUndetermined) << "two runs";
}

HandMade additive_study(const Verdicts& alibi) {
  HandMade study;
  for (const char* encoding : {"Absolute", "Random", "Relative"}) add_verdicts(study, encoding, {kS, kS, kN, kS, kS});
  add_verdicts(study, "ALiBi", alibi);
  return study;
}

TEST(AdditiveDeposits, ThreeWays) {
  const auto judged = [](const Verdicts& alibi) { return judge(additive_study(alibi).results, "no_deposit_additive"); };
  EXPECT_EQ(judged({kS, kS, kS, kN, kS}).verdict, kHolds);
  EXPECT_EQ(judged({kS, kP, kS, kN, kP}).verdict, kHolds);
  // P(3 or more of 5 at 0.05) = 10 0.05^3 0.95^2 + 5 0.05^4 0.95 + 0.05^5 = 0.001158; times four by Holm.
  const JudgedClaim fails = judged({kD, kD, kD, kS, kU});
  EXPECT_EQ(fails.verdict, kFails) << fails.reason;
  EXPECT_TRUE(contains(fails.reason, "ALiBi has 3 DEPOSIT")) << fails.reason;
  EXPECT_TRUE(contains(fails.reason, "p = 0.005")) << fails.reason;
  // 2 of 5: 0.0226, after Holm 0.090.
  EXPECT_EQ(judged({kD, kD, kS, kS, kS}).verdict, kUndetermined);
  EXPECT_EQ(judged({kU, kU, kU, kU, kU}).verdict, kUndetermined);
}

TEST(AdditiveDeposits, OneCounterexampleIsEnoughWhereOthersAreMissing) {
  HandMade study;
  add_verdicts(study, "ALiBi", {kD, kD, kD, kD, kD});
  EXPECT_EQ(judge(study.results, "no_deposit_additive").verdict, kFails);
  HandMade other;
  add_verdicts(other, "ALiBi", {kS, kS, kS, kS, kS});
  const JudgedClaim judged = judge(other.results, "no_deposit_additive");
  EXPECT_EQ(judged.verdict, kUndetermined);
  EXPECT_TRUE(contains(judged.reason, "Not part of this study: Absolute on distance, Random on distance"))
      << judged.reason;
}

// 2 of 3: p = 0.007, and 0.029 after Holm; but three runs decide nothing elsewhere either.
TEST(AdditiveDeposits, FewerThanFiveRunsAreNoCounterexample) {
  HandMade study;
  for (const char* encoding : {"Absolute", "Random", "Relative"}) add_verdicts(study, encoding, {kS, kS, kS});
  add_verdicts(study, "ALiBi", {kD, kD, kS});
  EXPECT_EQ(judge(study.results, "no_deposit_additive").verdict, kUndetermined);
  EXPECT_EQ(judged_rope({kD, kD, kD, kD}, "no_deposit_counting", kCounting).verdict, kUndetermined);
}

TEST(AdditiveDeposits, ShowsRopeBeside) {
  HandMade study = additive_study({kS, kS, kS, kS, kS});
  add_verdicts(study, "RoPE", {kD, kD, kS, kS, kS});
  const JudgedClaim judged = judge(study.results, "no_deposit_additive");
  EXPECT_EQ(judged.evidence[0].what, "share of runs judged DEPOSIT by position, RoPE");
  EXPECT_EQ(judged.evidence[0].value, 0.4);
}

TEST(CountingDeposit, ThreeWays) {
  const auto verdict = [](const Verdicts& found) {
    return judged_rope(found, "no_deposit_counting", kCounting).verdict;
  };
  EXPECT_EQ(verdict({kN, kN, kS, kN, kS}), kHolds);
  EXPECT_EQ(verdict({kN, kP, kS, kN, kS}), kHolds);
  EXPECT_EQ(verdict({kD, kD, kS, kS, kS}), kFails) << "two of five, p = 0.023";
  EXPECT_EQ(verdict({kD, kS, kS, kS, kS}), kUndetermined) << "one of five, p = 0.23, and 4 of 5 are no majority";
  EXPECT_EQ(verdict({kN, kS, kU, kU, kU}), kUndetermined);
  EXPECT_EQ(verdict({kN, kN, kN, kN}), kUndetermined);
}

// A run that ends with head 0 of layer 0 as its deposit; at each snapshot that head has the given share.
void add_snapshots(RunRecord& run, const std::vector<std::pair<int64_t, double>>& shares) {
  for (const auto& [step, share] : shares) {
    const double rest = (1.0 - share) / 3.0;
    AblationRecord snapshot{.step = step, .samples = 20};
    snapshot.position = head_record(kU, {share, rest, rest, rest});
    run.snapshots.push_back(std::move(snapshot));
  }
}

HandMade early_study(const std::vector<std::pair<int64_t, double>>& most,
                     const std::vector<std::pair<int64_t, double>>& last) {
  HandMade study;
  CellRuns& rope = add_verdicts(study, "RoPE", {kD, kD, kD, kD, kD, kS});
  for (size_t i = 0; i < 5; ++i) add_snapshots(rope.runs[i], i < 4 ? most : last);
  return study;
}

TEST(EarlyDeposit, ThreeWays) {
  const auto judged = [](const HandMade& study) { return judge(study.results, "deposit_forms_early"); };
  using Shares = std::vector<std::pair<int64_t, double>>;
  const Shares early = {{100, 0.1}, {200, 0.6}, {400, 0.7}}, late = {{100, 0.6}, {200, 0.3}, {400, 0.7}};
  const Shares lost = {{200, 0.6}, {400, 0.4}}, unmeasured = {{400, 0.7}};
  EXPECT_EQ(judged(early_study(early, early)).verdict, kHolds) << "step 200 of 1000 is the last within a quarter";
  EXPECT_EQ(judged(early_study(late, late)).verdict, kFails);
  EXPECT_EQ(judged(early_study(lost, lost)).verdict, kFails) << "led, and lost it again";
  EXPECT_EQ(judged(early_study(early, late)).verdict, kUndetermined) << "4 of 5";
  const JudgedClaim open = judged(early_study(unmeasured, unmeasured));
  EXPECT_EQ(open.verdict, kUndetermined);
  EXPECT_TRUE(contains(open.reason, "led from early on: 0, did not: 0, not measured early: 5")) << open.reason;
}

TEST(EarlyDeposit, ASnapshotAfterAQuarterIsNotEarly) {
  const std::vector<std::pair<int64_t, double>> at = {{250, 0.6}}, after = {{251, 0.6}};
  EXPECT_EQ(judge(early_study(at, at).results, "deposit_forms_early").verdict, kHolds);
  EXPECT_EQ(judge(early_study(after, after).results, "deposit_forms_early").verdict, kUndetermined);
}

TEST(EarlyDeposit, WhatComesAfterLearningIsNotEarly) {
  using Shares = std::vector<std::pair<int64_t, double>>;
  const Shares shares = {{100, 0.1}, {200, 0.6}};
  HandMade study = early_study(shares, shares);
  EXPECT_EQ(judge(study.results, "deposit_forms_early").verdict, kHolds);
  for (RunRecord& run : study.results.cells[0].runs) run.steps_to_90 = 150;
  EXPECT_EQ(judge(study.results, "deposit_forms_early").verdict, kFails) << "at step 100 the head did not lead";
  study = early_study({{100, 0.6}}, {{100, 0.6}});
  for (RunRecord& run : study.results.cells[0].runs) run.steps_to_90 = 50;
  EXPECT_EQ(judge(study.results, "deposit_forms_early").verdict, kUndetermined) << "no snapshot before";
}

TEST(EarlyDeposit, AnotherHeadIsNotTheSame) {
  HandMade study = early_study({{200, 0.6}}, {{200, 0.6}});
  for (RunRecord& run : study.results.cells[0].runs) {
    for (AblationRecord& snapshot : run.snapshots) {
      std::swap(snapshot.position->loss_drops[0][0], snapshot.position->loss_drops[0][2]);
    }
  }
  EXPECT_EQ(judge(study.results, "deposit_forms_early").verdict, kFails);
}

TEST(EarlyDeposit, WithoutDepositsThereIsNothingToTime) {
  HandMade study;
  add_verdicts(study, "RoPE", {kS, kS, kS, kS, kS});
  const JudgedClaim judged = judge(study.results, "deposit_forms_early");
  EXPECT_EQ(judged.verdict, kUndetermined);
  EXPECT_TRUE(contains(judged.reason, "nothing to time")) << judged.reason;
}

HandMade mla_study(const Verdicts& rope, const Verdicts& mla, double mla_accuracy = 0.95, double spread = 0.001,
                   const std::string& protocol = kClean) {
  HandMade study;
  const auto set = [](RunRecord& run, double value) { run.test_accuracy = value; };
  each(add_verdicts(study, "RoPE", rope, kDistance, protocol), about(0.95), set);
  each(add_verdicts(study, "MLA", mla, kDistance, protocol), about(mla_accuracy, spread), set);
  return study;
}

TEST(MlaDeposit, ThreeWays) {
  const Verdicts all(5, kD), none(5, kS), some = {kD, kD, kS, kS, kS};
  const auto judged = [](const HandMade& study) { return judge(study.results, "mla_removes_deposit"); };
  EXPECT_EQ(judged(mla_study(all, none)).verdict, kHolds);
  EXPECT_EQ(judged(mla_study(all, Verdicts(5, kP))).verdict, kHolds) << "partial is no deposit";
  EXPECT_EQ(judged(mla_study(all, all)).verdict, kFails) << "MLA has one too";
  const JudgedClaim loses = judged(mla_study(all, none, 0.90));
  EXPECT_EQ(loses.verdict, kFails);
  EXPECT_TRUE(contains(loses.reason, "MLA loses accuracy: RoPE - MLA: +5.0 points")) << loses.reason;
  EXPECT_EQ(judged(mla_study(all, none, 0.94, 0.01)).verdict, kUndetermined) << "accuracy unsure";
  EXPECT_EQ(judged(mla_study(all, some)).verdict, kUndetermined);
  EXPECT_EQ(judged(mla_study(some, none)).verdict, kUndetermined);
  const JudgedClaim nothing = judged(mla_study(none, none));
  EXPECT_EQ(nothing.verdict, kUndetermined);
  EXPECT_TRUE(contains(nothing.reason, "RoPE has no deposit here that MLA could remove")) << nothing.reason;
}

TEST(MlaDeposit, ReleasedReadsTheReleasedMla) {
  const HandMade study = mla_study(Verdicts(5, kD), Verdicts(5, kS), 0.95, 0.001, kReleased);
  EXPECT_EQ(study.results.cells[1].cell.protocol, kReleasedMla);
  EXPECT_EQ(judge(study.results, "mla_removes_deposit", kReleased).verdict, kHolds);
}

// Accuracy without p and with random vectors, in the streams that enter layers 0 to 2; intact 0.8.
StreamRemoval removal(double without, double random) {
  StreamRemoval result{.intact = {.accuracy = 0.8}};
  for (int64_t layer = 0; layer < 3; ++layer) {
    LayerRemoval entry{.layer = layer, .means = {.accuracy = 0.1}, .random = {{.accuracy = 0.5}, {.accuracy = 0.5}}};
    if (layer == 2) {
      entry.means.accuracy = without;
      entry.random = {{.accuracy = random - 0.01}, {.accuracy = random + 0.01}};
    }
    result.layers.push_back(entry);
  }
  return result;
}

HandMade removal_study(double absolute, double hybrid, double spread = 0.002) {
  HandMade study;
  const auto fill = [&](const char* encoding, double without) {
    CellRuns& cell = add_verdicts(study, encoding, Verdicts(5, kS));
    each(cell, about(without, spread),
         [](RunRecord& run, double value) { run.ablation->removal = removal(value, 0.8); });
  };
  fill("Absolute", absolute);
  fill("RoPE+Absolute", hybrid);
  return study;
}

TEST(ActivationPosition, ThreeWays) {
  const auto judged = [](const HandMade& study) { return judge(study.results, "rope_suppresses_activation_position"); };
  const JudgedClaim holds = judged(removal_study(0.60, 0.796));
  EXPECT_EQ(holds.verdict, kHolds) << holds.reason;
  EXPECT_NEAR(holds.evidence[0].value, 25.0, 1e-9) << "(0.8 - 0.6) of 0.8, in per cent: the last layer alone counts";
  EXPECT_NEAR(holds.evidence[1].value, 0.5, 1e-9);
  const JudgedClaim used = judged(removal_study(0.60, 0.70));
  EXPECT_EQ(used.verdict, kFails);
  EXPECT_TRUE(contains(used.reason, "It is still used")) << used.reason;
  const JudgedClaim unused = judged(removal_study(0.799, 0.796));
  EXPECT_EQ(unused.verdict, kUndetermined) << "what Absolute does not use RoPE cannot suppress";
  EXPECT_TRUE(contains(unused.reason, "nothing to suppress: 0.1 %")) << unused.reason;
  EXPECT_TRUE(contains(unused.reason, "behind the second layer (1 stream)")) << unused.reason;
  EXPECT_EQ(judged(removal_study(0.60, 0.78, 0.02)).verdict, kUndetermined);
}

TEST(ActivationPosition, TwoLayersHaveNothingBehindTheSecond) {
  HandMade study = removal_study(0.60, 0.796);
  for (CellRuns& cell : study.results.cells) {
    for (RunRecord& run : cell.runs) run.ablation->removal->layers.pop_back();
  }
  const JudgedClaim judged = judge(study.results, "rope_suppresses_activation_position");
  EXPECT_EQ(judged.verdict, kUndetermined);
  EXPECT_EQ(
      judged.reason,
      "Removal of p behind the second layer measured in fewer than 3 runs: Absolute on distance, RoPE+Absolute on "
      "distance.");
}

TEST(ActivationPosition, ThreeRunsDecide) {
  HandMade study = removal_study(0.60, 0.796);
  for (CellRuns& cell : study.results.cells) keep(cell, 3);
  EXPECT_EQ(judge(study.results, "rope_suppresses_activation_position").verdict, kHolds);
}

}  // namespace claims_heads_test
}  // namespace phasor::paper
