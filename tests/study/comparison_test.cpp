#include "phasor/study/summary/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "phasor/base/error.h"
#include "study/records.h"

namespace phasor {
namespace comparison_test {

using namespace testing_support;

const std::vector<double> kFirst = {0.95, 0.97, 0.96, 0.99, 0.98};
const std::vector<double> kSecond = {0.90, 0.93, 0.91, 0.96, 0.92};

Comparison accuracy(const std::vector<double>& first, const std::vector<double>& second) {
  return compare(cell_runs(kRope, first), cell_runs(kAlibi, second), {ComparedQuantity::test_accuracy});
}

// SciPy: permutation_test(n_resamples=inf) gives 6 / 252; Welch's interval from t.ppf(0.975, 7.0868); Hedges' g with
// gamma(4) / (sqrt(4) gamma(3.5)); of 25 pairs 23 are won, 1 is lost (0.95 < 0.96) and 1 is even.
TEST(Comparison, OfAccuracies) {
  const Comparison found = accuracy(kFirst, kSecond);
  EXPECT_EQ(found.first.cell, kRope);
  EXPECT_EQ(found.second.cell, kAlibi);
  ASSERT_TRUE(found.test.has_value());
  EXPECT_TRUE(found.test->exact);
  EXPECT_NEAR(found.test->p, 6.0 / 252, 1e-15);
  EXPECT_NEAR(found.test->smallest_p, 2.0 / 252, 1e-15);
  EXPECT_NEAR(found.difference->estimate, 0.046, 1e-15);
  EXPECT_NEAR(found.difference->low, 0.016539008141309475, 1e-10);
  EXPECT_NEAR(found.difference->high, 0.07546099185869039, 1e-10);
  EXPECT_NEAR(found.cliffs_delta->estimate, 0.88, 1e-15);
  EXPECT_LT(found.cliffs_delta->low, 0.88);
  EXPECT_NEAR(found.hedges_g.value(), 2.102667366467054, 1e-12);
  EXPECT_FALSE(found.holm.has_value());
  EXPECT_TRUE(found.told());
}

TEST(Comparison, SmallestPFollowsTheSeeds) {
  EXPECT_NEAR(accuracy({0.1, 0.2, 0.3}, {0.7, 0.8, 0.9}).test->smallest_p, 0.1, 1e-15);
  EXPECT_NEAR(accuracy({0.1, 0.2, 0.3}, {0.7, 0.8, 0.9}).test->p, 0.1, 1e-15);
  EXPECT_FALSE(accuracy({0.1, 0.2, 0.3}, {0.7, 0.8, 0.9}).told());
  EXPECT_NEAR(accuracy({0.1, 0.2, 0.3, 0.4}, {0.6, 0.7, 0.8, 0.9}).test->smallest_p, 2.0 / 70, 1e-15);
}

TEST(Comparison, OnlyConvergedRunsTakePart) {
  CellRuns first = cell_runs(kRope, {0.1, 0.95, 0.97, 0.96, 0.99, 0.98}), second = cell_runs(kAlibi, kSecond);
  first.runs[0].converged = false;
  second.failures.push_back({.id = "alibi-5", .cell = kAlibi, .seed = 5});
  const Comparison found = compare(first, second, {ComparedQuantity::test_accuracy});
  EXPECT_EQ(found.first.values, kFirst);
  EXPECT_EQ(found.first.unconverged, 1);
  EXPECT_EQ(found.first.failed, 0);
  EXPECT_EQ(found.second.unconverged, 0);
  EXPECT_EQ(found.second.failed, 1);
  EXPECT_NEAR(found.test->p, 6.0 / 252, 1e-15);
}

TEST(Comparison, NeedsTwoRunsOnEachSide) {
  for (const auto& [first, second] : {std::pair(std::vector<double>{0.9}, kSecond), {kFirst, {0.9}}, {{}, {}}}) {
    const Comparison found = accuracy(first, second);
    EXPECT_FALSE(found.test || found.cliffs_delta || found.hedges_g || found.difference);
    EXPECT_FALSE(found.told());
    EXPECT_EQ(found.adjusted_p(), std::nullopt);
  }
  EXPECT_EQ(accuracy({0.9}, kSecond).first.mean, 0.9);
  EXPECT_TRUE(std::isnan(accuracy({}, {}).first.mean));
  EXPECT_TRUE(accuracy({0.8, 0.9}, {0.1, 0.2}).test.has_value());
}

TEST(Comparison, EqualRunsTellNothing) {
  const Comparison found = accuracy({1.0, 1.0, 1.0}, {1.0, 1.0, 1.0});
  EXPECT_EQ(found.test->p, 1.0);
  EXPECT_TRUE(found.difference->degenerate);
  EXPECT_EQ(found.difference->low, 0.0);
  EXPECT_FALSE(found.hedges_g.has_value());
  EXPECT_FALSE(found.told());
}

// SciPy, with 2001 for never: p = 48 / 252, delta -0.68. The second cell's runs are shorter; never must stay the worst.
TEST(Comparison, NeverIsWorseThanAnyStep) {
  CellRuns first = cell_runs(kRope, kFirst), second = cell_runs(kAlibi, kSecond);
  const std::optional<int64_t> steps[2][5] = {{101, {}, 150, 120, 130}, {400, 500, 450, {}, {}}};
  for (size_t r = 0; r < 5; ++r) {
    first.runs[r].steps_to_90 = steps[0][r];
    second.runs[r].steps_to_90 = steps[1][r];
    second.runs[r].steps = 1000;
  }
  const Comparison found = compare(first, second, {ComparedQuantity::steps_to_90});
  EXPECT_EQ(found.first.values, (std::vector<double>{101, 2001, 150, 120, 130}));
  EXPECT_EQ(found.second.values, (std::vector<double>{400, 500, 450, 2001, 2001}));
  EXPECT_EQ(found.first.never, 1);
  EXPECT_EQ(found.second.never, 2);
  EXPECT_NEAR(found.test->p * 252, 48.0, 1e-12);
  EXPECT_NEAR(found.cliffs_delta->estimate, -0.68, 1e-15);
}

TEST(Comparison, EveryNumberIsReadFromItsPlace) {
  RunRecord run = run_record(kRope, 0, 0.75);
  run.train_accuracy = 1.0;
  run.steps_to_90 = 300;
  run.loss_area = 0.3;
  run.loss_spikes = 4.0;
  run.gradient_variation = 0.6;
  run.lengths = {{2.0, 80, 0.5}, {4.0, 160, 0.125}};
  run.ablation = ablation_record(2000, 0.75, concentrated());
  run.ablation->importance = even();
  run.spectrum = SpectrumRecord{};
  run.spectrum->start.contraction = 0.8;
  run.spectrum->end.contraction = 0.7;
  run.spectrum->position_toeplitz = 0.6;
  run.spectrum->logit_interaction = 0.2;
  const LayerEffect& position = run.ablation->position->judged.run.layers[1].effect;
  const LayerEffect& importance = run.ablation->importance->judged.run.layers[1].effect;
  using enum ComparedQuantity;
  EXPECT_EQ(value_of(run, {test_accuracy}), 0.75);
  EXPECT_EQ(value_of(run, {test_loss}), 0.25);
  EXPECT_EQ(value_of(run, {generalisation_gap}), 0.25);
  EXPECT_EQ(value_of(run, {steps_to_90}), 300.0);
  EXPECT_EQ(value_of(run, {loss_area}), 0.3);
  EXPECT_EQ(value_of(run, {loss_spikes}), 4.0);
  EXPECT_EQ(value_of(run, {gradient_variation}), 0.6);
  EXPECT_EQ(value_of(run, {position_max_share}), position.max_share.value);
  EXPECT_EQ(value_of(run, {position_n2}), position.n2.value);
  EXPECT_EQ(value_of(run, {importance_max_share}), importance.max_share.value);
  EXPECT_EQ(value_of(run, {importance_n2}), importance.n2.value);
  EXPECT_NE(position.n2.value, importance.n2.value);
  EXPECT_EQ(value_of(run, {accuracy_at_length, 4.0}), 0.125);
  EXPECT_EQ(value_of(run, {accuracy_at_length, 8.0}), std::nullopt);
  EXPECT_EQ(value_of(run, {contraction_start}), 0.8);
  EXPECT_EQ(value_of(run, {contraction_end}), 0.7);
  EXPECT_EQ(value_of(run, {position_toeplitz}), 0.6);
  EXPECT_EQ(value_of(run, {logit_interaction}), 0.2);
}

TEST(Comparison, WhatIsNotDefinedIsLeftOut) {
  using enum ComparedQuantity;
  RunRecord run = run_record(kRope, 0, 0.75);
  for (const ComparedQuantity quantity :
       {position_max_share, importance_n2, accuracy_at_length, contraction_end, position_toeplitz}) {
    EXPECT_EQ(value_of(run, {quantity, 2.0}), std::nullopt);
  }
  run.spectrum = SpectrumRecord{.position_toeplitz = std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(value_of(run, {position_toeplitz}), std::nullopt);
  run.ablation = ablation_record(2000, 0.75, head_record({{0, 0, 0, 0}, {0, 0, 0, 0}}));
  EXPECT_EQ(value_of(run, {position_max_share}), std::nullopt) << "no layer is used";
  CellRuns cell = cell_runs(kRope, kFirst);
  cell.runs[2] = run;
  const Comparison found = compare(cell, cell, {position_toeplitz});
  EXPECT_EQ(found.first.unmeasured, 5);
  EXPECT_FALSE(found.test.has_value());
}

// Holm by hand: p = 2/252, 0.1, none, 6/252 of four, where the missing one counts as 1. In rising order 4 x 2/252,
// 3 x 6/252 and 2 x 0.1.
TEST(Comparison, HolmIsOverThePlannedList) {
  std::vector<Comparison> family = {accuracy({0.95, 0.96, 0.97, 0.98, 0.99}, {0.1, 0.2, 0.3, 0.4, 0.5}),
                                    accuracy({0.1, 0.2, 0.3}, {0.7, 0.8, 0.9}), accuracy({0.9}, kSecond),
                                    accuracy(kFirst, kSecond)};
  adjust(family);
  EXPECT_NEAR(family[0].holm.value(), 8.0 / 252, 1e-15);
  EXPECT_NEAR(family[1].holm.value(), 0.2, 1e-15);
  EXPECT_FALSE(family[2].holm.has_value());
  EXPECT_NEAR(family[3].holm.value(), 18.0 / 252, 1e-15);
  EXPECT_EQ(family[3].family, 4);
  EXPECT_TRUE(family[0].told());
  EXPECT_FALSE(family[3].told()) << "6 / 252 alone would be enough";
  EXPECT_EQ(family[3].adjusted_p(), family[3].holm);
}

TEST(Comparison, AFamilyHasAtMostSix) {
  std::vector<Comparison> family(6, accuracy(kFirst, kSecond));
  adjust(family);
  EXPECT_NEAR(family[0].holm.value(), 36.0 / 252, 1e-15);
  family.push_back(family[0]);
  EXPECT_THROW(adjust(family), Error);
  std::vector<Comparison> none;
  adjust(none);
}

TEST(Comparison, PlannedOnesAreMadeAndAdjusted) {
  const StudyResults results{.name = "s", .cells = {cell_runs(kRope, kFirst), cell_runs(kAlibi, kSecond)}};
  const std::vector<Comparison> found = compare_all(
      results, {{kRope, kAlibi, {ComparedQuantity::test_accuracy}}, {kAlibi, kRope, {ComparedQuantity::test_loss}}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].holm.value(), 12.0 / 252, 1e-15);
  EXPECT_EQ(found[1].first.cell, kAlibi);
  EXPECT_NEAR(found[1].difference->estimate, 0.046, 1e-15) << "loss is 1 - accuracy here";
  CellName missing = kRope;
  missing.protocol = "released";
  EXPECT_THROW(compare_all(results, {{kRope, missing, {}}}), Error);
}

TEST(Comparison, NumbersHaveNames) {
  EXPECT_EQ(name({ComparedQuantity::test_accuracy}), "test_accuracy");
  EXPECT_EQ(name({ComparedQuantity::accuracy_at_length, 1.5}), "accuracy_at_1.5");
  EXPECT_EQ(title({ComparedQuantity::accuracy_at_length, 2.0}), "accuracy at 2 times the length");
  std::set<std::string> names;
  for (int q = 0; q <= static_cast<int>(ComparedQuantity::logit_interaction); ++q) {
    const ComparedNumber number{static_cast<ComparedQuantity>(q)};
    EXPECT_TRUE(names.insert(name(number)).second) << name(number);
    EXPECT_STRNE(words(number).larger, words(number).smaller);
  }
}

}  // namespace comparison_test
}  // namespace phasor
