#include "phasor/ablation/verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "ablation/drop_world.h"
#include "phasor/base/error.h"
#include "phasor/statistics/proportion.h"

namespace phasor {
namespace verdict_test {

constexpr VerdictOptions kFew{.resamples = 200, .flips = 199, .seed = 5};

// Drops that alternate around their mean by `spread`, in both halves of the samples alike.
std::vector<double> alternating(double mean, double spread, size_t samples) {
  std::vector<double> values(samples);
  for (size_t i = 0; i < samples; ++i) values[i] = mean + (i / 2 % 2 == 0 ? spread : -spread);
  return values;
}

LayerDrops layer_of(const std::vector<double>& alone, double whole, const std::vector<double>& only,
                    double spread = 0.01, size_t samples = 80) {
  LayerDrops drops{.whole = alternating(whole, spread, samples)};
  for (const double mean : alone) drops.alone.push_back(alternating(mean, spread, samples));
  for (const double mean : only) drops.only.push_back(alternating(mean, spread, samples));
  return drops;
}

RunEvidence run_of(std::vector<LayerDrops> layers) {
  RunEvidence run{.layers = std::move(layers), .correct = 95, .samples = 100, .floor_accuracy = 0.25, .knowledge = 2.0};
  RunEvidence::OtherMethod other{.name = "resample", .drops = {}};
  for (const LayerDrops& drops : run.layers) {
    other.drops.emplace_back();
    for (const std::vector<double>& head : drops.alone) {
      other.drops.back().push_back(std::accumulate(head.begin(), head.end(), 0.0));
    }
  }
  run.others = {other};
  return run;
}

// Head 2 has 0.8 of 1 nat and alone keeps 0.9 of it.
RunEvidence deposit() { return run_of({layer_of({0.1, 0.1, 0.8, 0.0}, 1.0, {0.9, 0.9, 0.1, 1.0})}); }

const Clause& clause_of(const RunVerdict& run, const std::string& name, size_t layer = 0) {
  for (const Clause& clause : run.layers.at(layer).clauses) {
    if (clause.name == name) return clause;
  }
  throw Error("no clause " + name);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// UNDETERMINED, for this reason, with a remedy that says so.
void expect_undetermined(const RunVerdict& run, const std::string& clause, const std::string& remedy) {
  EXPECT_EQ(run.verdict, Deposit::undetermined);
  EXPECT_EQ(run.reason.find(clause + ": "), 0u) << run.reason;
  EXPECT_TRUE(contains(run.reason, remedy)) << run.reason;
}

// PARTIAL, because this clause fails.
void expect_partial(const RunVerdict& run, const std::string& clause) {
  EXPECT_EQ(run.verdict, Deposit::partial) << run.reason;
  EXPECT_EQ(name(run.verdict), "PARTIAL");
  EXPECT_EQ(run.reason.find(clause + ": "), 0u) << run.reason;
  EXPECT_TRUE(contains(run.reason, "neither concentrated in one head nor spread")) << run.reason;
  EXPECT_EQ(clause_of(run, "5 partial").holds, true);
}

TEST(Verdict, OneHeadThatDoesItAllIsADeposit) {
  const RunVerdict run = judge_run(deposit(), kFew);
  EXPECT_EQ(run.verdict, Deposit::deposit) << run.reason;
  EXPECT_EQ(name(run.verdict), "DEPOSIT");
  EXPECT_TRUE(contains(run.reason, "head 2")) << run.reason;
  EXPECT_FALSE(run.layers[0].redundant);
  std::vector<std::string> names;
  for (const Clause& clause : run.layers[0].clauses) {
    names.push_back(clause.name);
    if (clause.name[0] != '4' && clause.name[0] != '5') {
      EXPECT_EQ(clause.holds, true) << clause.name;
      EXPECT_EQ(clause.remedy, "") << clause.name;
    }
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"1 floor", "2 used", "(i) layer", "(ii) head", "(iii) share", "(iii) lead",
                                      "(iii) above even", "(iii) necessity", "(iv) effective heads", "(v) sufficiency",
                                      "(vi) methods", "4 spread", "4 redundant", "5 partial"}));
  EXPECT_NEAR(run.top_share_of_all, 0.8, 1e-12);
}

TEST(Verdict, ALayerThatCostsNothingIsNotUsed) {
  RunEvidence evidence = deposit();
  evidence.layers[0].whole = alternating(0.001, 0.2, 80);
  RunVerdict run = judge_run(evidence, kFew);
  EXPECT_EQ(run.verdict, Deposit::not_used);
  EXPECT_TRUE(contains(run.reason, "the interval includes 0")) << run.reason;
  EXPECT_TRUE(contains(run.reason, "of 2 that the model knows")) << run.reason;
  EXPECT_TRUE(contains(run.reason, "is not excluded")) << run.reason;  // 0.02 would be of interest

  evidence.layers[0].whole = alternating(-1.0, 0.1, 80);
  run = judge_run(evidence, kFew);
  EXPECT_EQ(run.verdict, Deposit::not_used);
  EXPECT_TRUE(contains(run.reason, "better without it")) << run.reason;

  evidence.layers[0].whole = alternating(0.01, 0.001, 80);
  run = judge_run(evidence, kFew);
  EXPECT_EQ(run.verdict, Deposit::not_used);
  EXPECT_TRUE(contains(run.reason, "costs 0.01 [")) << run.reason;
  EXPECT_TRUE(contains(run.reason, "less than 0.02, the smallest effect of interest")) << run.reason;
  EXPECT_FALSE(contains(run.reason, "excluded")) << run.reason;
  // The same cost is of interest to a model that knows less, or to who asks for less.
  evidence.knowledge = 0.5;
  EXPECT_NE(judge_run(evidence, kFew).verdict, Deposit::not_used);
  evidence.knowledge = 2.0;
  VerdictOptions finer = kFew;
  finer.least_effect = 0.001;
  EXPECT_NE(judge_run(evidence, finer).verdict, Deposit::not_used);
  evidence.knowledge = -1.0;
  EXPECT_NE(judge_run(evidence, kFew).verdict, Deposit::not_used);
}

TEST(Verdict, AllZeroDropsAreNotUsed) {
  const RunVerdict run = judge_run(run_of({layer_of({0.0, 0.0}, 0.0, {0.0, 0.0}, 0.0)}), kFew);
  EXPECT_EQ(run.verdict, Deposit::not_used);
  EXPECT_EQ(run.layers[0].clauses.size(), 2u);
  EXPECT_TRUE(std::isnan(run.top_share_of_all));
}

TEST(Verdict, AModelAtItsFloorIsUndetermined) {
  RunEvidence evidence = deposit();
  evidence.floor_accuracy = statistics::clopper_pearson(95, 100).low;
  expect_undetermined(judge_run(evidence, kFew), "1 floor", "95 of 100 right");
  evidence.floor_accuracy -= 1e-12;
  EXPECT_EQ(judge_run(evidence, kFew).verdict, Deposit::deposit);
  // Whatever the heads look like.
  RunEvidence spread = run_of({layer_of({0.25, 0.25, 0.25, 0.25}, 1.0, {})});
  ASSERT_EQ(judge_run(spread, kFew).verdict, Deposit::spread);
  spread.floor_accuracy = 0.95;
  expect_undetermined(judge_run(spread, kFew), "1 floor", "train");
}

// The interval of the layer's cost holds 0.02, the smallest effect of interest.
TEST(Verdict, ACostOfUnclearInterestNeedsMoreSamples) {
  RunEvidence evidence = deposit();
  evidence.layers[0].whole = alternating(0.03, 0.07, 80);
  const RunVerdict run = judge_run(evidence, kFew);
  const Estimate cost = run.layers[0].effect.held_out.layer;
  ASSERT_GT(cost.low, 0.0);
  ASSERT_LT(cost.low, 0.02);
  const double times = std::pow((0.03 - cost.low) / 0.01, 2);
  expect_undetermined(run, "(i) layer", fmt::format("about {:.2g} times as many samples", times));
  // Nor is it spread.
  evidence = run_of({layer_of({0.01, 0.01, 0.01, 0.01}, 0.03, {}, 0.0)});
  evidence.layers[0].whole = alternating(0.03, 0.07, 80);
  const RunVerdict even = judge_run(evidence, kFew);
  EXPECT_EQ(clause_of(even, "4 spread").holds, true);
  expect_undetermined(even, "(i) layer", "times as many samples");
}

// What chose the layer cannot also show that it is used.
TEST(Verdict, ALayerThatCostsOnTheEvenSamplesAloneIsNotUsed) {
  RunEvidence evidence = deposit();
  for (size_t i = 0; i < 80; ++i) evidence.layers[0].whole[i] = i % 2 == 0 ? 1.0 : (i % 4 == 1 ? 0.1 : -0.1);
  const RunVerdict run = judge_run(evidence, kFew);
  EXPECT_GT(run.layers[0].effect.layer.low, 0.3);
  EXPECT_EQ(run.verdict, Deposit::not_used) << run.reason;
}

// One half with enough and all samples without are not enough.
TEST(Verdict, SufficiencyIsAskedOfAllSamplesToo) {
  RunEvidence evidence = deposit();
  for (size_t i = 0; i < 80; i += 2) evidence.layers[0].only[2][i] = 0.5;
  const RunVerdict run = judge_run(evidence, kFew);
  EXPECT_GT(run.layers[0].effect.held_out.sufficiency.value, 0.85);
  expect_partial(run, "(v) sufficiency");
}

// Ten held-out drops, one of which is negative: 11 of 1024 ways to turn the signs give as much, p = 0.0107. Twice that
// is significant, six times is not.
TEST(Verdict, SignificanceIsAdjustedForHeadsOfAllLayers) {
  LayerDrops small = layer_of({1.0, 0.0}, 1.0, {0.0, 1.0}, 0.0, 20);
  small.alone[0][7] = -1.0;
  const RunVerdict alone = judge_run(run_of({small}), kFew);
  EXPECT_EQ(clause_of(alone, "(ii) head").holds, true);
  EXPECT_NEAR(alone.layers[0].effect.held_out.p_holm, 2.0 * 11 / 1024, 1e-15);

  const LayerDrops idle = layer_of({0.0, 0.0, 0.0, 0.0}, 0.5, {}, 0.0, 20);
  const RunVerdict run = judge_run(run_of({small, idle}), kFew);
  EXPECT_EQ(run.layer, 0);
  EXPECT_NEAR(run.layers[0].effect.held_out.p_holm, 6.0 * 11 / 1024, 1e-15);
  EXPECT_EQ(clause_of(run, "(ii) head").holds, false);
  EXPECT_TRUE(contains(clause_of(run, "(ii) head").text, "Holm over 6 heads"));
  expect_undetermined(run, "layer 0: (ii) head", "times as many samples");
}

TEST(Verdict, ManyHeadsGetEnoughFlips) {
  std::vector<LayerDrops> layers(30, layer_of(std::vector<double>(20), 0.5, {}, 0.0, 40));
  layers[3] = layer_of({0.0, 1.0}, 1.0, {}, 0.0, 40);
  const RunVerdict run = judge_run(run_of(layers), {.resamples = 40, .flips = 99});
  EXPECT_EQ(run.layer, 3);
  EXPECT_EQ(clause_of(run, "(ii) head", 3).holds, true) << clause_of(run, "(ii) head", 3).text;
}

TEST(Verdict, HalvesThatDisagreeAreNoDeposit) {
  RunEvidence evidence = deposit();
  std::vector<std::vector<double>>& heads = evidence.layers[0].alone;
  for (size_t i = 1; i < 80; i += 2) std::swap(heads[0][i], heads[2][i]);
  const RunVerdict run = judge_run(evidence, kFew);
  EXPECT_EQ(run.layers[0].effect.held_out.head, 2);
  EXPECT_NE(run.verdict, Deposit::deposit);
  EXPECT_EQ(clause_of(run, "(iii) share").holds, false);
  EXPECT_EQ(clause_of(run, "(iii) lead").holds, false);
}

// 0.48 of the drops by the mean, and an interval that holds half. The other clauses of (iii) are met.
TEST(Verdict, AShareBelowHalfIsNoDeposit) {
  LayerDrops drops = layer_of({0.48, 0.26, 0.26, 0.0}, 0.8, {0.1, 0.8, 0.8, 0.8});
  drops.alone[0] = alternating(0.48, 0.4, 80);
  const RunVerdict run = judge_run(run_of({drops}), kFew);
  expect_partial(run, "(iii) share");
  EXPECT_EQ(clause_of(run, "(iii) lead").holds, true);
  EXPECT_EQ(clause_of(run, "(iii) above even").holds, true);
  EXPECT_EQ(clause_of(run, "(iii) necessity").holds, true);
}

TEST(Verdict, AHeadWhoseLeadMayBeNoneIsNoDeposit) {
  LayerDrops drops = layer_of({0.55, 0.45, 0.0, 0.0}, 1.0, {0.1, 0.1, 1.0, 1.0});
  drops.alone[1] = alternating(0.45, 0.5, 80);
  const RunVerdict run = judge_run(run_of({drops}), kFew);
  expect_partial(run, "(iii) lead");
}

// The share of two heads hangs on one sample in eight, so that its interval reaches an even share.
TEST(Verdict, AShareThatMayBeEvenIsNoDeposit) {
  LayerDrops drops = layer_of({1.0, 0.1}, 1.0, {0.0, 0.9}, 0.0, 80);
  for (size_t i = 0; i < 80; ++i) drops.alone[1][i] = i % 40 < 2 ? 16.0 : 0.0;
  const RunVerdict run = judge_run(run_of({drops}), kFew);
  EXPECT_EQ(clause_of(run, "(iii) share").holds, true);
  EXPECT_EQ(clause_of(run, "(iii) above even").holds, false);
  EXPECT_EQ(run.verdict, Deposit::undetermined);
}

// Either of two heads does the work: the better one has two thirds of the drops and a sure lead, and is not needed.
TEST(Verdict, TwoRedundantHeadsAreSpread) {
  const RunVerdict run = judge_run(run_of({layer_of({0.02, 0.01, 0.0, 0.0}, 1.0, {0.05, 0.05, 1.0, 1.0}, 0.0)}), kFew);
  for (const Clause& clause : run.layers[0].clauses) {
    if (clause.name[0] != '(') continue;
    EXPECT_EQ(clause.holds, clause.name != "(iii) necessity") << clause.name;
  }
  EXPECT_EQ(run.verdict, Deposit::spread);
  EXPECT_TRUE(run.layers[0].redundant);
  EXPECT_TRUE(contains(run.reason, "the layer costs 33.3 [33.3, 33.3] times")) << run.reason;
}

TEST(Verdict, AHeadThatMayCostLessThanHalfOfTheLayerIsNoDeposit) {
  LayerDrops drops = layer_of({0.8, 0.1, 0.1, 0.0}, 1.7, {0.1, 1.0, 1.0, 1.0});
  drops.whole = alternating(1.7, 1.5, 80);
  const RunVerdict run = judge_run(run_of({drops}), kFew);
  expect_partial(run, "(iii) necessity");
}

// One head with 0.55, seven with the rest: N2 = 1 / (0.3025 + 0.2025 / 7) = 3.02.
TEST(Verdict, ManyEffectiveHeadsAreNeither) {
  std::vector<double> alone(8, 0.45 / 7), only(8, 1.0);
  alone[5] = 0.55;
  only[5] = 0.1;
  const RunVerdict run = judge_run(run_of({layer_of(alone, 1.0, only, 0.001)}), kFew);
  expect_partial(run, "(iv) effective heads");
  EXPECT_TRUE(contains(run.reason, "3.02 [")) << run.reason;
  EXPECT_NEAR(run.layers[0].effect.held_out.n2.value, 1.0 / (0.3025 + 0.2025 / 7), 1e-12);
}

// 70 % and an even rest: 2.0 effective heads by Simpson, 3.3 and 4.1 by entropy.
TEST(Verdict, AnEvenRestLeavesADeposit) {
  for (const size_t heads : {8u, 16u}) {
    std::vector<double> alone(heads, 0.3 / static_cast<double>(heads - 1)), only(heads, 1.0);
    alone[5] = 0.7;
    only[5] = 0.1;
    const RunVerdict run = judge_run(run_of({layer_of(alone, 1.0, only, 0.001)}), kFew);
    EXPECT_EQ(run.verdict, Deposit::deposit) << run.reason;
    EXPECT_GT(run.layers[0].effect.held_out.n1.low, 3.0);
  }
}

TEST(Verdict, AHeadThatDoesNotSufficeIsNeither) {
  RunEvidence evidence = deposit();
  evidence.layers[0].only[2] = alternating(0.3, 0.01, 80);
  expect_partial(judge_run(evidence, kFew), "(v) sufficiency");
  evidence.layers[0].only[2] = alternating(0.21, 0.2, 80);
  expect_partial(judge_run(evidence, kFew), "(v) sufficiency");
  evidence.layers[0].only.clear();
  const RunVerdict run = judge_run(evidence, kFew);
  EXPECT_FALSE(clause_of(run, "(v) sufficiency").holds.has_value());
  expect_undetermined(run, "(v) sufficiency", "measure the layer with all heads but one ablated");
}

// The same heads with so much noise that the share may be anything: samples are too few for any answer.
TEST(Verdict, AShareThatIsNotKnownIsNoAnswer) {
  LayerDrops drops = layer_of({0.48, 0.26, 0.26, 0.0}, 0.8, {0.1, 0.8, 0.8, 0.8}, 0.01, 20);
  drops.alone[0] = alternating(0.48, 0.45, 20);
  drops.alone[1] = alternating(0.26, -0.45, 20);
  const RunVerdict run = judge_run(run_of({drops}), kFew);
  EXPECT_GT(run.layers[0].effect.held_out.share.high - run.layers[0].effect.held_out.share.low, 0.25);
  EXPECT_EQ(run.verdict, Deposit::undetermined) << run.reason;
}

TEST(Verdict, OtherMethodsHaveToNameTheSameHead) {
  RunEvidence evidence = deposit();
  evidence.others.push_back({.name = "mean", .drops = {{0.0, 0.5, 0.4, 0.1}}});
  RunVerdict run = judge_run(evidence, kFew);
  expect_undetermined(run, "(vi) methods", "mean names head 1, not head 2");
  evidence.others.clear();
  run = judge_run(evidence, kFew);
  EXPECT_FALSE(clause_of(run, "(vi) methods").holds.has_value());
  expect_undetermined(run, "(vi) methods", "measure by another method as well");
}

// A clause that failed comes before one that was not judged, wherever they stand.
TEST(Verdict, NamesWhatFailedFirst) {
  RunEvidence evidence = deposit();
  evidence.layers[0].only.clear();
  evidence.others[0].drops[0] = {1.0, 0.0, 0.0, 0.0};
  expect_undetermined(judge_run(evidence, kFew), "(vi) methods", "resample names head 0");
}

TEST(Verdict, EqualHeadsAreSpread) {
  const RunVerdict run = judge_run(run_of({layer_of({0.25, 0.25, 0.25, 0.25}, 1.0, {})}), kFew);
  EXPECT_EQ(run.verdict, Deposit::spread);
  EXPECT_FALSE(run.layers[0].redundant);
  EXPECT_EQ(clause_of(run, "4 spread").holds, true);
  // By the share alone: heads that overlap cost more one by one than together.
  const RunVerdict overlapping = judge_run(run_of({layer_of({0.6, 0.6, 0.6, 0.6}, 1.0, {})}), kFew);
  EXPECT_EQ(overlapping.verdict, Deposit::spread);
  // By the cost alone: one head has all of the drops, and little of what the layer costs.
  const RunVerdict redundant = judge_run(run_of({layer_of({0.3, 0.0, 0.0, 0.0}, 1.0, {})}), kFew);
  EXPECT_EQ(redundant.verdict, Deposit::spread);
  EXPECT_TRUE(redundant.layers[0].redundant);
  // Half is not below half.
  EXPECT_EQ(judge_run(run_of({layer_of({0.5, 0.5}, 1.0, {}, 0.0)}), kFew).verdict, Deposit::undetermined);
}

TEST(Verdict, OneHeadHasNothingToCompare) {
  const RunVerdict run = judge_run(run_of({layer_of({1.0}, 1.0, {0.0})}), kFew);
  EXPECT_EQ(run.verdict, Deposit::undetermined);
  EXPECT_EQ(run.reason, "one head: nothing to compare");
  EXPECT_EQ(judge_run(run_of({layer_of({0.0}, 0.0, {})}), kFew).verdict, Deposit::not_used);
}

// Layer 0 costs most on all samples, layer 1 on those of even number.
TEST(Verdict, TheKeyLayerIsChosenOnTheFirstHalf) {
  LayerDrops first = layer_of({0.5, 0.5}, 1.0, {});
  LayerDrops second = layer_of({0.25, 0.0, 0.75}, 1.0, {});
  for (size_t i = 1; i < 80; i += 2) first.whole[i] = 5.0;
  for (size_t i = 0; i < 80; i += 2) second.whole[i] = 2.0;
  const RunVerdict run = judge_run(run_of({first, second}), kFew);
  EXPECT_EQ(run.layer, 1);
  EXPECT_EQ(run.layers.size(), 2u);
  EXPECT_EQ(run.verdict, run.layers[1].verdict);
  EXPECT_EQ(run.reason, "layer 1: " + run.layers[1].reason);
  EXPECT_NEAR(run.top_share_of_all, 0.75 / 2.0, 1e-12);
}

TEST(Verdict, IsAFunctionOfItsSeed) {
  const DropWorld world = additive_world({0.7, 0.1, 0.1, 0.1});
  const RunEvidence evidence = draw_run(world, 100, 0);
  const RunVerdict first = judge_run(evidence, kFew), again = judge_run(evidence, kFew);
  EXPECT_EQ(first.reason, again.reason);
  for (size_t c = 0; c < first.layers[0].clauses.size(); ++c) {
    EXPECT_EQ(first.layers[0].clauses[c].text, again.layers[0].clauses[c].text);
  }
  EXPECT_EQ(first.layers[0].effect.held_out.lead, again.layers[0].effect.held_out.lead);
}

std::string error_of(const RunEvidence& evidence, const VerdictOptions& options = kFew) {
  try {
    judge_run(evidence, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Verdict, RefusesBadEvidence) {
  EXPECT_TRUE(contains(error_of({}), "without layers"));
  RunEvidence evidence = run_of({deposit().layers[0], layer_of({1.0}, 1.0, {})});
  EXPECT_EQ(error_of(evidence), "");
  evidence.layers[1].alone[0][2] = std::nan("");
  EXPECT_TRUE(contains(error_of(evidence), "layer 1, head 0 ablated: the drop of sample 2 is nan"));
  evidence.layers[1] = layer_of({1.0}, 1.0, {}, 0.0, 60);
  EXPECT_TRUE(contains(error_of(evidence), "layer 1 was measured on 60 samples, layer 0 on 80"));
  EXPECT_TRUE(contains(error_of(run_of({layer_of({1.0}, 1.0, {}, 0.0, 18)})), "18 samples"));

  evidence = deposit();
  evidence.others[0].drops[0].pop_back();
  EXPECT_TRUE(contains(error_of(evidence), "method resample has drops of 3 heads in layer 0, which has 4"));
  evidence.others[0].drops.emplace_back();
  EXPECT_TRUE(contains(error_of(evidence), "method resample has drops of 2 layers, the run has 1"));
  evidence = deposit();
  evidence.others[0].drops[0][3] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(contains(error_of(evidence), "method resample: the drop of layer 0, head 3 is inf"));
  evidence = deposit();
  evidence.correct = 101;
  EXPECT_TRUE(contains(error_of(evidence), "101 successes are not possible in 100 trials"));
  evidence = deposit();
  evidence.knowledge = std::nan("");
  EXPECT_TRUE(contains(error_of(evidence), "knowledge nan"));
  EXPECT_TRUE(contains(error_of(deposit(), {.least_effect = -0.1}), "cannot be negative"));
}

}  // namespace verdict_test
}  // namespace phasor
