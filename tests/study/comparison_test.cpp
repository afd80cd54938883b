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
using statistics::DifferenceReading;

const std::vector<double> kFirst = {0.95, 0.97, 0.96, 0.99, 0.98};
const std::vector<double> kSecond = {0.90, 0.93, 0.91, 0.96, 0.92};

Comparison accuracy(const std::vector<double>& first, const std::vector<double>& second) {
  return compare(cell_runs(kRope, first), cell_runs(kAlibi, second), {ComparedQuantity::test_accuracy});
}

// SciPy: permutation_test(n_resamples=inf) gives 6 / 252; Welch's interval from t.ppf(0.975, 7.0868).
TEST(Comparison, OfAccuracies) {
  const Comparison found = accuracy(kFirst, kSecond);
  EXPECT_EQ(found.first.cell, kRope);
  EXPECT_EQ(found.second.cell, kAlibi);
  ASSERT_TRUE(found.test.has_value());
  EXPECT_TRUE(found.test->exact);
  EXPECT_NEAR(found.test->p, 6.0 / 252, 1e-15);
  EXPECT_NEAR(found.difference->difference, 0.046, 1e-15);
  EXPECT_NEAR(found.difference->low, 0.016539008141309475, 1e-10);
  EXPECT_NEAR(found.difference->high, 0.07546099185869039, 1e-10);
  EXPECT_EQ(found.margin, 0.01);
  EXPECT_EQ(found.reading, DifferenceReading::of_interest);
  EXPECT_FALSE(found.holm.has_value());
  EXPECT_TRUE(found.significant());
  EXPECT_FALSE(found.disputed() || found.lost_to_holm());
}

// No permutation test of three against three can be below 0.10; the interval decides.
TEST(Comparison, ThreeRunsAreEnough) {
  const Comparison found = accuracy({1.0, 1.0, 1.0}, {0.135, 0.146, 0.136});
  EXPECT_FALSE(found.test.has_value());
  EXPECT_EQ(found.reading, DifferenceReading::of_interest);
  EXPECT_NEAR(found.difference->difference, 0.861, 1e-12);
  EXPECT_FALSE(accuracy({0.1, 0.2, 0.3, 0.4}, {0.6, 0.7, 0.8, 0.9}).test.has_value());
  EXPECT_EQ(accuracy({1.0, 1.0}, {0.1, 0.1}).reading, DifferenceReading::open) << "two are not";
}

TEST(Comparison, AllFinishedRunsTakePart) {
  CellRuns first = cell_runs(kRope, kFirst), second = cell_runs(kAlibi, kSecond);
  first.runs[0].converged = false;
  second.failures.push_back({.id = "alibi-5", .cell = kAlibi, .seed = 5});
  const Comparison found = compare(first, second, {ComparedQuantity::test_accuracy});
  EXPECT_EQ(found.first.values, kFirst);
  EXPECT_EQ(found.first.unconverged, 1);
  EXPECT_EQ(found.first.failed, 0);
  EXPECT_EQ(found.second.unconverged, 0);
  EXPECT_EQ(found.second.failed, 1);
  EXPECT_EQ(found.second.success->trials, 6);
  EXPECT_NEAR(found.test->p, 6.0 / 252, 1e-15);
  EXPECT_FALSE(found.turned.has_value());
}

TEST(Comparison, RunsStillImprovingThatTurnTheOrderAreTold) {
  CellRuns first = cell_runs(kRope, {0.9, 0.9, 0.5}), second = cell_runs(kAlibi, {0.8, 0.8, 0.81});
  EXPECT_FALSE(compare(first, second, {}).turned.has_value()) << "none was";
  first.runs[2].converged = false;
  const Comparison found = compare(first, second, {});
  ASSERT_TRUE(found.turned.has_value());
  EXPECT_NEAR(*found.turned, 0.9 - 2.41 / 3, 1e-12);
  EXPECT_LT(found.difference->difference, 0.0);
  // Less than a point either way is no turn.
  CellRuns near = cell_runs(kRope, {0.804, 0.804, 0.8});
  near.runs[2].converged = false;
  EXPECT_FALSE(compare(near, second, {}).turned.has_value());
}

TEST(Comparison, NeedsTwoRunsOnEachSide) {
  for (const auto& [first, second] : {std::pair(std::vector<double>{0.9}, kSecond), {kFirst, {0.9}}, {{}, {}}}) {
    const Comparison found = accuracy(first, second);
    EXPECT_FALSE(found.test || found.difference || found.holm);
    EXPECT_EQ(found.reading, DifferenceReading::open);
    EXPECT_FALSE(found.significant());
  }
  EXPECT_EQ(accuracy({0.9}, kSecond).first.mean, 0.9);
  EXPECT_TRUE(std::isnan(accuracy({}, {}).first.mean));
}

// 100.0 against 99.6 %, of test sets with 4096 samples: one set for all runs, and one for each.
TEST(Comparison, TestSetsBoundWhatAlikeRunsCanSay) {
  CellRuns first = cell_runs(kRope, {1.0, 1.0, 1.0}), second = cell_runs(kAlibi, {0.996, 0.996, 0.996});
  EXPECT_EQ(compare(first, second, {}).reading, DifferenceReading::open) << "no size is known, and no run differs";
  for (CellRuns* cell : {&first, &second}) {
    for (RunRecord& run : cell->runs) run.test_samples = 4096;
  }
  const Comparison shared = compare(first, second, {});
  EXPECT_EQ(shared.reading, DifferenceReading::not_of_interest);
  EXPECT_NEAR(shared.first.variance_floor, statistics::accuracy_variance_floor(1.0, 4096), 1e-20);
  for (CellRuns* cell : {&first, &second}) {
    for (RunRecord& run : cell->runs) run.data_seed = run.seed;
  }
  const Comparison own = compare(first, second, {});
  EXPECT_NEAR(own.first.variance_floor, statistics::accuracy_variance_floor(1.0, 3 * 4096), 1e-20);
  EXPECT_LT(own.difference->width(), shared.difference->width());
  EXPECT_EQ(own.reading, DifferenceReading::not_of_interest);
}

TEST(Comparison, LengthsAreScoredOnFewerSamples) {
  CellRuns cell = cell_runs(kRope, {1.0, 1.0, 1.0});
  for (RunRecord& run : cell.runs) {
    run.test_samples = 4096;
    run.lengths = {{1.0, 40, 0.9}, {2.0, 80, 0.9}};
  }
  const auto floor = [&](double factor) {
    return compare(cell, cell, {ComparedQuantity::accuracy_at_length, factor}).first.variance_floor;
  };
  EXPECT_NEAR(floor(2.0), statistics::accuracy_variance_floor(0.9, 1024), 1e-18);
  EXPECT_EQ(floor(1.0), floor(2.0));
}

TEST(Comparison, CellsOfTwoKindsOfRunsAreKnown) {
  const Comparison found = accuracy({0.97, 0.15, 0.98}, {0.9, 0.75, 0.8});
  EXPECT_TRUE(found.first.mixed);
  EXPECT_EQ(found.first.success->successes, 2);
  EXPECT_FALSE(found.second.mixed) << "15 points apart";
}

// At five runs: outliers widen the interval, and the order of the runs is what a permutation test mostly sees.
TEST(Comparison, ADisputeIsKnown) {
  const Comparison found = accuracy({0.90, 0.91, 0.92, 0.93, 0.99}, {0.05, 0.80, 0.81, 0.82, 0.83});
  EXPECT_LE(found.test->p, 0.05);
  EXPECT_FALSE(found.significant());
  EXPECT_TRUE(found.disputed());
}

// SciPy, with 2001 for never: p = 48 / 252. The second cell's runs are shorter; never must stay the worst.
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
}

// Runs that all reach 90 % at one evaluation are known to a gap of 50 steps: 50 / sqrt(12) for each side's mean.
TEST(Comparison, StepsAreKnownToTheGridOfEvaluations) {
  CellRuns first = cell_runs(kRope, {1.0, 1.0, 1.0}), second = cell_runs(kAlibi, {1.0, 1.0, 1.0});
  const auto reach = [](CellRuns& cell, int64_t step) {
    for (RunRecord& run : cell.runs) {
      run.steps_to_90 = step;
      run.curve.clear();
      for (int64_t at = 0; at <= 500; at += 50) run.curve.push_back({.step = at});
    }
  };
  reach(first, 200);
  reach(second, 250);
  const Comparison next = compare(first, second, {ComparedQuantity::steps_to_90});
  EXPECT_NEAR(next.first.variance_floor, 2500.0 / 12.0, 1e-12);
  EXPECT_FALSE(next.significant());
  reach(second, 400);
  EXPECT_EQ(compare(first, second, {ComparedQuantity::steps_to_90}).reading, DifferenceReading::of_interest);
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
  EXPECT_FALSE(found.difference.has_value());
}

// Holm by hand over four p, in rising order times 4, 3, 2 and 1; the one that decides nothing counts as 1.
TEST(Comparison, HolmIsOverThePlannedList) {
  std::vector<Comparison> family = {accuracy({0.95, 0.96, 0.97, 0.98, 0.99}, {0.1, 0.2, 0.3, 0.4, 0.5}),
                                    accuracy({0.3, 0.4, 0.5}, {0.4, 0.45, 0.5}), accuracy({0.9}, kSecond),
                                    accuracy(kFirst, kSecond)};
  adjust(family);
  EXPECT_NEAR(family[0].holm.value(), 4.0 * family[0].difference->p, 1e-15);
  EXPECT_NEAR(family[3].holm.value(), 3.0 * family[3].difference->p, 1e-15);
  EXPECT_NEAR(family[1].holm.value(), std::min(1.0, 2.0 * family[1].difference->p), 1e-15);
  EXPECT_FALSE(family[2].holm.has_value());
  EXPECT_EQ(family[3].family, 4);
  EXPECT_TRUE(family[0].significant() && !family[0].lost_to_holm());
}

TEST(Comparison, AFamilyHasAtMostSix) {
  std::vector<Comparison> family(6, accuracy(kFirst, kSecond));
  adjust(family);
  EXPECT_NEAR(family[0].holm.value(), 6.0 * family[0].difference->p, 1e-15);
  EXPECT_EQ(family[0].lost_to_holm(), 6.0 * family[0].difference->p > 0.05);
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
  EXPECT_NEAR(found[0].holm.value(), 2.0 * found[0].difference->p, 1e-15);
  EXPECT_EQ(found[1].first.cell, kAlibi);
  EXPECT_NEAR(found[1].difference->difference, 0.046, 1e-15) << "loss is 1 - accuracy here";
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
    EXPECT_GT(margin_of(number), 0.0);
  }
}

}  // namespace comparison_test
}  // namespace phasor
