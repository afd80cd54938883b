#include "phasor/study/summary/cell_summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "phasor/ablation/verdict_clauses.h"
#include "study/records.h"

namespace phasor {
namespace cell_summary_test {

using namespace testing_support;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounding = 1e-15;  // sums of a few numbers below 1

RunFailure failure(const CellName& cell, uint64_t seed) {
  return {.id = cell.encoding + "-" + std::to_string(seed), .cell = cell, .seed = seed, .what = "loss is not finite"};
}

// Four finished runs, one of which has not converged, and one that failed.
CellRuns mixed_cell() {
  CellRuns cell = cell_runs(kRope, {0.95, 0.85, 0.97, 0.99});
  cell.planned = 5;
  cell.runs[1].converged = false;
  cell.runs[3].learning_rate = 3e-4;
  cell.failures.push_back(failure(kRope, 4));
  return cell;
}

TEST(CellSummary, CountsRunsOfEveryKind) {
  const CellSummary found = summarize(mixed_cell());
  EXPECT_EQ(found.cell, kRope);
  EXPECT_EQ(found.planned, 5);
  ASSERT_EQ(found.runs.size(), 4u);
  EXPECT_EQ(found.runs[2].id, "rope-2");
  EXPECT_EQ(found.runs[2].seed, 2u);
  EXPECT_FALSE(found.runs[1].converged);
  EXPECT_EQ(found.unconverged, std::vector<std::string>{"rope-1"});
  EXPECT_EQ(found.failed, std::vector<std::string>{"rope-4"});
  EXPECT_EQ(found.learning_rates, (std::vector<double>{3e-4, 1e-3}));
  EXPECT_EQ(found.parameters, std::vector<int64_t>{1000});
  EXPECT_EQ(found.floors.value().chance, 0.04);
  EXPECT_EQ(found.heads, 4);
}

TEST(CellSummary, MeansOfAllFinishedRuns) {
  CellRuns cell = mixed_cell();
  cell.runs[0].train_accuracy = 1.0;  // gap 0.05
  cell.runs[3].loss_area = 0.4;
  cell.runs[3].loss_spikes = 2.0;
  cell.runs[3].gradient_variation = 0.8;
  const CellSummary found = summarize(cell);
  EXPECT_EQ(found.numbers.test_accuracy.values, (std::vector<double>{0.95, 0.85, 0.97, 0.99}));
  EXPECT_NEAR(found.numbers.test_accuracy.mean, 0.94, kRounding);
  EXPECT_NEAR(found.numbers.train_accuracy.mean, (1.0 + 0.85 + 0.97 + 0.99) / 4, kRounding);
  EXPECT_NEAR(found.numbers.test_loss.mean, 0.06, kRounding);
  EXPECT_NEAR(found.numbers.generalisation_gap.mean, 0.0125, kRounding);
  EXPECT_NEAR(found.numbers.loss_area.mean, 0.1, kRounding);
  EXPECT_NEAR(found.numbers.loss_spikes.mean, 0.5, kRounding);
  EXPECT_NEAR(found.numbers.gradient_variation.mean, 0.2, kRounding);
}

TEST(CellSummary, RunsOfTwoKindsAreKnownByTheirSpread) {
  const auto mixed = [](const std::vector<double>& accuracies) {
    return summarize(cell_runs(kRope, accuracies)).numbers.mixed();
  };
  EXPECT_TRUE(mixed({0.97, 0.15, 0.98}));
  EXPECT_TRUE(mixed({0.6, 0.85, 0.1})) << "whether or not any reaches 90 %";
  EXPECT_FALSE(mixed({0.89, 0.91, 0.95})) << "on both sides of 90 %, and of one kind";
  EXPECT_FALSE(mixed({}));
}

TEST(CellSummary, TestSamplesAreCountedOnceForEveryDataSeed) {
  CellRuns cell = cell_runs(kRope, {0.9, 0.9, 0.9});
  EXPECT_EQ(summarize(cell).numbers.test_samples, 0) << "not known";
  for (RunRecord& run : cell.runs) run.test_samples = 100;
  EXPECT_EQ(summarize(cell).numbers.test_samples, 100);
  cell.runs[2].data_seed = 7;
  EXPECT_EQ(summarize(cell).numbers.test_samples, 200);
}

// SciPy: beta.ppf(0.025, 3, 3), beta.ppf(0.975, 4, 2) for 3 of 5 and so on.
TEST(CellSummary, FailedRunsAreNoSuccesses) {
  CellRuns cell = mixed_cell();
  const SuccessRate all = summarize(cell).numbers.success.value();
  EXPECT_EQ(all.successes, 3);
  EXPECT_EQ(all.trials, 5);
  EXPECT_EQ(all.rate(), 0.6);
  EXPECT_NEAR(all.interval.low, 0.14663279963467313, 1e-10);
  EXPECT_NEAR(all.interval.high, 0.9472550494736831, 1e-10);
  cell.runs[1].test_accuracy = 0.9;
  EXPECT_EQ(summarize(cell).numbers.success.value().successes, 4) << "0.9 is enough";
}

StepsTo90 steps_to_90(const std::vector<std::optional<int64_t>>& steps) {
  CellRuns cell = cell_runs(kRope, std::vector<double>(steps.size(), 0.95));
  for (size_t r = 0; r < steps.size(); ++r) cell.runs[r].steps_to_90 = steps[r];
  return summarize(cell).numbers.steps_to_90;
}

TEST(CellSummary, NeverIsLaterThanAnyStep) {
  const std::optional<int64_t> never;
  EXPECT_EQ(steps_to_90({300, never, 100}).median, 300.0);
  EXPECT_EQ(steps_to_90({300, 100}).median, 200.0);
  EXPECT_EQ(steps_to_90({400, 100, never, 300}).median, 350.0);
  EXPECT_EQ(steps_to_90({100, never}).median, std::nullopt) << "between a step and never";
  EXPECT_EQ(steps_to_90({never, 100, never, 200}).median, std::nullopt);
  EXPECT_EQ(steps_to_90({never}).median, std::nullopt);
  EXPECT_EQ(steps_to_90({}).median, std::nullopt);
  const StepsTo90 some = steps_to_90({300, never, 100});
  EXPECT_EQ(some.values, (std::vector<std::optional<int64_t>>{300, never, 100}));
  EXPECT_EQ(some.reached, 2);
  EXPECT_EQ(some.never, 1);
  EXPECT_EQ(some.mean.count, 0) << "of those that reached it alone it would be a selection";
  EXPECT_EQ(steps_to_90({300, 100}).mean.mean, 200.0);
  EXPECT_EQ(steps_to_90({300, 100}).never, 0);
}

TEST(CellSummary, CurvesAreOverTheRunsThatHaveAStep) {
  CellRuns cell = cell_runs(kRope, {0.9, 0.9});
  cell.runs[0].curve = {{.step = 0, .train_accuracy = 0.2, .test_accuracy = 0.1},
                        {.step = 50, .train_accuracy = 0.6, .test_accuracy = 0.5},
                        {.step = 100, .train_accuracy = 0.9, .test_accuracy = 0.8}};
  cell.runs[1].curve = {{.step = 0, .train_accuracy = 0.4, .test_accuracy = 0.3},
                        {.step = 100, .train_accuracy = 1.0, .test_accuracy = 0.9}};
  const LearningCurves curves = summarize(cell).curves;
  ASSERT_EQ(curves.steps, (std::vector<int64_t>{0, 50, 100}));
  EXPECT_NEAR(curves.test_accuracy[0].mean, 0.2, kRounding);
  EXPECT_NEAR(curves.train_accuracy[0].mean, 0.3, kRounding);
  EXPECT_EQ(curves.test_accuracy[1].mean, 0.5);
  EXPECT_FALSE(curves.test_accuracy[1].low.has_value());
  EXPECT_TRUE(std::isnan(curves.test_accuracy[1].values[1]));
  EXPECT_NEAR(curves.test_accuracy[2].mean, 0.85, kRounding);
  EXPECT_EQ(curves.test_accuracy[2].values, (std::vector<double>{0.8, 0.9}));
  EXPECT_EQ(curves.test_accuracy[2].high, 1.0) << "accuracies end at 1";
}

TEST(CellSummary, LengthsByRisingFactor) {
  CellRuns cell = cell_runs(kRope, {0.9, 0.9});
  cell.runs[0].lengths = {{4.0, 160, 0.2}, {1.5, 60, 0.8}};
  cell.runs[1].lengths = {{1.5, 60, 0.6}};
  const std::vector<LengthSummary> lengths = summarize(cell).lengths;
  ASSERT_EQ(lengths.size(), 2u);
  EXPECT_EQ(lengths[0].factor, 1.5);
  EXPECT_EQ(lengths[0].longest, 60);
  EXPECT_NEAR(lengths[0].accuracy.mean, 0.7, kRounding);
  EXPECT_EQ(lengths[1].factor, 4.0);
  EXPECT_EQ(lengths[1].accuracy.count, 1);
  EXPECT_TRUE(std::isnan(lengths[1].accuracy.values[1]));
}

TEST(CellSummary, SpectraSkipWhatIsNotDefined) {
  CellRuns cell = cell_runs(kRope, {0.9, 0.9, 0.9, 0.9});
  for (size_t r = 0; r < 3; ++r) {
    SpectrumRecord spectrum;
    const auto x = static_cast<double>(r);
    spectrum.start = {.contraction = 0.5 + x, .product_norm = 10.0 + x};
    spectrum.end = {.contraction = 1.5 + x, .product_norm = 20.0 + x};
    spectrum.start_contractions = {x, 1.0};
    spectrum.end_contractions = {x, 2.0};
    spectrum.relative_r2 = 30.0 + x;
    spectrum.position_toeplitz = r == 1 ? kNaN : x;
    spectrum.logit_interaction = 40.0 + x;
    spectrum.positional_share = 50.0 + x;
    spectrum.stream_position = 60.0 + x;
    spectrum.stream_interaction = 70.0 + x;
    spectrum.stream_interaction_deviation = 80.0 + x;
    cell.runs[r].spectrum = spectrum;
  }
  const SpectrumSummary found = summarize(cell).spectrum.value();
  EXPECT_EQ(found.contraction_start.mean, 1.5);
  EXPECT_EQ(found.contraction_start.count, 3);
  EXPECT_TRUE(std::isnan(found.contraction_start.values[3]));
  EXPECT_EQ(found.contraction_end.mean, 2.5);
  EXPECT_EQ(found.product_norm_start.mean, 11.0);
  EXPECT_EQ(found.product_norm_end.mean, 21.0);
  EXPECT_EQ(found.relative_r2.mean, 31.0);
  EXPECT_EQ(found.position_toeplitz.mean, 1.0);
  EXPECT_EQ(found.position_toeplitz.count, 2);
  EXPECT_EQ(found.logit_interaction.mean, 41.0);
  EXPECT_EQ(found.positional_share.mean, 51.0);
  EXPECT_EQ(found.stream_position.mean, 61.0);
  EXPECT_EQ(found.stream_interaction.mean, 71.0);
  EXPECT_EQ(found.stream_interaction_deviation.mean, 81.0);
  EXPECT_EQ(found.head_contractions_start[2], (std::vector<double>{2.0, 1.0}));
  EXPECT_EQ(found.head_contractions_end[2], (std::vector<double>{2.0, 2.0}));
  EXPECT_TRUE(found.head_contractions_end[3].empty());
  EXPECT_FALSE(summarize(cell_runs(kRope, {0.9})).spectrum.has_value());
}

TEST(CellSummary, VerdictsOverSeeds) {
  CellRuns cell = cell_runs(kRope, {0.95, 0.95, 0.95});
  for (uint32_t r = 0; r < 2; ++r) {
    cell.runs[r].ablation = ablation_record(2000, 0.94, r == 0 ? concentrated(r) : even(r));
  }
  cell.runs[1].converged = false;
  const CellSummary found = summarize(cell);
  ASSERT_TRUE(found.position.has_value());
  EXPECT_FALSE(found.importance.has_value()) << "no run was asked";
  const QuestionSummary& position = *found.position;
  ASSERT_EQ(position.seeds.size(), 2u) << "the third run was not asked";
  EXPECT_EQ(position.seeds[0].verdict.verdict, Deposit::deposit);
  EXPECT_EQ(position.seeds[1].verdict.verdict, Deposit::spread);
  EXPECT_EQ(position.seeds[1].id, "rope-1");
  EXPECT_FALSE(position.seeds[1].converged);
  EXPECT_EQ(position.seeds[0].verdict.layers[0].verdict, Deposit::not_used);
  EXPECT_EQ(position.seeds[0].loss_drops[1][2], 1.0);
  EXPECT_EQ(position.seeds[0].accuracies[1][2], 0.9 - 0.1);
  EXPECT_EQ(position.seeds[0].accuracy, 0.94);
  EXPECT_EQ(position.verdict.deposit.seeds, 1);
  EXPECT_EQ(position.verdict.spread.seeds, 1);
}

TEST(CellSummary, QuestionsAreKeptApart) {
  CellRuns cell = cell_runs(kRope, {0.95});
  cell.runs[0].ablation = ablation_record(2000, 0.94, concentrated());
  cell.runs[0].ablation->importance = even();
  const CellSummary found = summarize(cell);
  EXPECT_EQ(found.summary(Question::position)->seeds[0].verdict.verdict, Deposit::deposit);
  EXPECT_EQ(found.summary(Question::importance)->seeds[0].verdict.verdict, Deposit::spread);
}

TEST(CellSummary, RemovalByLayer) {
  CellRuns cell = cell_runs(kRope, {0.95, 0.95, 0.95});
  for (size_t r = 0; r < 2; ++r) {
    const auto x = 0.1 * static_cast<double>(r);
    AblationRecord ablation = ablation_record(2000, 0.94, concentrated());
    ablation.removal = StreamRemoval{};
    for (int64_t l = 0; l < 2; ++l) {
      LayerRemoval layer{.layer = l, .means = {.loss = 9.0, .accuracy = 0.2 + x}, .norm_share = 0.4 + x};
      layer.random = {{9.0, 0.5 + x}, {9.0, 0.7 + x}};
      layer.excess = {.value = -1.0 + x};
      if (l == 0 && r == 1) layer.input_term = RemovalScore{9.0, 0.3};
      ablation.removal->layers.push_back(layer);
    }
    cell.runs[r].ablation = ablation;
  }
  const std::vector<RemovalSummary> found = summarize(cell).removal;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].layer, 1);
  EXPECT_NEAR(found[1].without_position.mean, 0.25, kRounding);
  EXPECT_EQ(found[1].without_position.count, 2) << "the third run has no ablation";
  EXPECT_NEAR(found[1].random.mean, 0.65, kRounding);
  EXPECT_NEAR(found[1].excess.mean, -0.95, kRounding);
  EXPECT_LT(found[1].excess.low.value(), -1.0) << "a difference of losses may be negative";
  EXPECT_NEAR(found[1].norm_share.mean, 0.45, kRounding);
  EXPECT_EQ(found[1].without_input_term.count, 0);
  EXPECT_EQ(found[0].without_input_term.mean, 0.3);
}

// The finished models' key layer is 1 and its top head 2. At step 100 the first seed's top head of that layer is
// another one, the second's is head 2 already; the third's layer is not used yet, and layer 0 is concentrated in
// head 2.
TEST(CellSummary, SnapshotsFollowTheFinishedModelsKeyLayer) {
  CellRuns cell = cell_runs(kRope, {0.95, 0.95, 0.95, 0.95});
  for (RunRecord& run : cell.runs) run.ablation = ablation_record(2000, 0.95, concentrated());
  const HeadRecord other = head_record({{0, 0, 0, 0}, {0.8, 0.1, 0.1, 0.1}});
  const HeadRecord not_yet = head_record({{0.02, 0.02, 1.0, 0.02}, {0, 0, 0, 0}});
  cell.runs[0].snapshots = {ablation_record(100, 0.3, other), ablation_record(500, 0.8, concentrated())};
  cell.runs[1].snapshots = {ablation_record(100, 0.5, concentrated())};
  cell.runs[2].snapshots = {ablation_record(100, 0.1, not_yet)};
  const std::vector<SnapshotSummary> found = summarize(cell).snapshots;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].step, 100);
  EXPECT_EQ(found[0].accuracy.count, 3) << "the fourth run has no snapshots";
  EXPECT_NEAR(found[0].accuracy.mean, 0.3, kRounding);
  const SnapshotShares& shares = found[0].shares(Question::position);
  EXPECT_EQ(shares.max_share.count, 2);
  EXPECT_EQ(shares.leading, 1);
  EXPECT_EQ(shares.max_share.values[0], other.judged.run.layers[1].effect.max_share.value);
  EXPECT_EQ(shares.n2.values[1], concentrated().judged.run.layers[1].effect.n2.value);
  EXPECT_TRUE(std::isnan(shares.max_share.values[2]));
  EXPECT_LE(shares.n2.high.value(), 4.0) << "there are four heads";
  EXPECT_EQ(found[0].shares(Question::importance).max_share.count, 0);
  EXPECT_EQ(found[1].step, 500);
  EXPECT_EQ(found[1].position.leading, 1);
  EXPECT_EQ(found[1].accuracy.count, 1);
}

// At step 100 layer 0 matters most, by the head that leads there in the end too; what counts is layer 1 of that step.
TEST(CellSummary, SnapshotsAreNotThoseOfTheirOwnKeyLayer) {
  const HeadRecord finished = head_record({{0.02, 0.3, 0.02, 0.02}, {0.02, 0.02, 1.0, 0.02}});
  const HeadRecord early = head_record({{0.02, 1.0, 0.02, 0.02}, {0.1, 0.05, 0.05, 0.05}});
  ASSERT_EQ(finished.judged.run.layer, 1);
  ASSERT_EQ(early.judged.run.layer, 0);
  CellRuns cell = cell_runs(kRope, {0.95});
  cell.runs[0].ablation = ablation_record(2000, 0.95, finished);
  cell.runs[0].snapshots = {ablation_record(100, 0.3, early)};
  const SnapshotShares found = summarize(cell).snapshots[0].position;
  EXPECT_EQ(found.leading, 0);
  EXPECT_EQ(found.max_share.mean, early.judged.run.layers[1].effect.max_share.value);
}

// Noise has shares too: those of layers that are not used say nothing.
TEST(CellSummary, LayersThatAreNotUsedHaveNoShares) {
  HeadRecord unused = concentrated();
  unused.judged.run.layers[1].verdict = unused.judged.run.verdict = Deposit::not_used;
  EXPECT_EQ(used_effect(unused.judged.run, 1), nullptr);
  EXPECT_NE(used_effect(concentrated().judged.run, 1), nullptr);
  EXPECT_EQ(used_effect(concentrated().judged.run, 0), nullptr) << "no head costs anything";
  EXPECT_EQ(used_effect(concentrated().judged.run, 2), nullptr) << "no such layer";
  HeadRecord guessing = concentrated();
  guessing.judged.run.layers[1].clauses = {{.name = kFloorClause, .holds = false}};
  EXPECT_EQ(used_effect(guessing.judged.run, 1), nullptr) << "what a model at its floor loses is not what it knows";
  CellRuns cell = cell_runs(kRope, {0.95, 0.95});
  cell.runs[0].ablation = ablation_record(2000, 0.95, unused);
  cell.runs[0].snapshots = {ablation_record(100, 0.3, concentrated())};
  cell.runs[1].ablation = ablation_record(2000, 0.95, concentrated());
  cell.runs[1].snapshots = {ablation_record(100, 0.3, unused)};
  const std::vector<SnapshotSummary> found = summarize(cell).snapshots;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].position.max_share.count, 0);
  EXPECT_EQ(found[0].position.leading, 0);
}

TEST(CellSummary, PublishedAblationsAreListedBySeed) {
  CellRuns cell = cell_runs(kRope, {0.95, 0.95});
  cell.runs[1].published = PublishedAblation{.baseline = 0.95, .accuracy = {{0.5, 0.9}}};
  const std::vector<SeedPublished> found = summarize(cell).published;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].seed, 1u);
  EXPECT_EQ(found[0].ablation.accuracy[0][0], 0.5);
}

TEST(CellSummary, OneRunHasMeansAndNoIntervals) {
  const CellSummary found = summarize(cell_runs(kRope, {0.95}));
  EXPECT_EQ(found.numbers.test_accuracy.mean, 0.95);
  EXPECT_FALSE(found.numbers.test_accuracy.low.has_value());
  EXPECT_EQ(found.numbers.success->successes, 1);
}

TEST(CellSummary, NoRunIsASummaryToo) {
  CellRuns cell{.cell = kRope, .planned = 3};
  EXPECT_EQ(summarize(cell).numbers.test_accuracy.count, 0);
  EXPECT_FALSE(summarize(cell).numbers.success.has_value());
  EXPECT_FALSE(summarize(cell).floors.has_value());
  EXPECT_TRUE(summarize(cell).curves.steps.empty());
  cell.failures.push_back(failure(kRope, 0));
  EXPECT_EQ(summarize(cell).numbers.success->successes, 0);
  EXPECT_EQ(summarize(cell).numbers.success->trials, 1);
}

TEST(StudyResults, FindsCellsByName) {
  const StudyResults results{.name = "s", .cells = {cell_runs(kRope, {0.9}), cell_runs(kAlibi, {0.8})}};
  EXPECT_EQ(results.find(kAlibi), &results.cells[1]);
  CellName other = kAlibi;
  other.variant = "keys_values";
  EXPECT_EQ(results.find(other), nullptr);
}

}  // namespace cell_summary_test
}  // namespace phasor
