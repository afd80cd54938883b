#include "phasor/study/records/run_record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "phasor/ablation/ablation_json.h"
#include "phasor/ablation/run_ablation.h"
#include "phasor/base/error.h"
#include "phasor/base/json_fields.h"
#include "phasor/statistics/summary.h"
#include "phasor/study/carry_out/study_lengths.h"
#include "phasor/study/carry_out/study_spectrum.h"
#include "study/trained_run.h"
#include "support/resealed.h"

namespace phasor {
namespace run_record_test {

using testing_support::test_backend;
using testing_support::TrainedRun;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

double mean(const std::vector<float>& values) {
  double sum = 0.0;
  for (const float value : values) sum += static_cast<double>(value);
  return sum / static_cast<double>(values.size());
}

TEST(RunRecord, SaysWhatTheRunSaid) {
  TrainedRun run;
  run.plan.tuning = true;
  const RunRecord record = read_record(run.plan, run.folder);
  const Json result = Json::parse(read_file(run.folder / "result.json"));
  EXPECT_EQ(record.id, run.plan.id);
  EXPECT_EQ(record.cell, run.plan.cell);
  EXPECT_TRUE(record.tuning);
  EXPECT_EQ(record.seed, run.plan.config.seed);
  EXPECT_EQ(record.data_seed, run.plan.config.data.seed);
  EXPECT_EQ(record.test_samples, run.plan.config.data.test_samples);
  EXPECT_EQ(record.learning_rate, 0.003);
  EXPECT_EQ(record.steps, 40);
  EXPECT_EQ(record.parameters, result.at("parameters"));
  EXPECT_EQ(record.layers, 2);
  EXPECT_EQ(record.heads, 2);
  EXPECT_EQ(record.train_accuracy, result.at("train_accuracy"));
  EXPECT_EQ(record.test_accuracy, result.at("test_accuracy"));
  EXPECT_EQ(record.test_loss, result.at("test_loss"));
  EXPECT_EQ(record.validation_accuracy.value(), result.at("validation_accuracy"));
  EXPECT_EQ(record.validation_loss.value(), result.at("validation_loss"));
  EXPECT_FALSE(record.steps_to_90);
  EXPECT_EQ(record.converged, result.at("converged"));
  EXPECT_EQ(record.floors.chance, result.at("floors").at("chance"));
  EXPECT_EQ(record.floors.constant, result.at("floors").at("constant"));
  EXPECT_EQ(record.floors.length, result.at("floors").at("length"));
  EXPECT_EQ(record.floors.rule, result.at("floors").at("rule"));
  EXPECT_EQ(record.floors.ceiling, result.at("floors").at("ceiling"));
  EXPECT_EQ(record.floors.ambiguous, result.at("floors").at("ambiguous"));
  EXPECT_EQ(record.floors.decoys, result.at("floors").at("decoys"));
  EXPECT_EQ(record.floors.samples, result.at("floors").at("samples"));
  EXPECT_EQ(record.floors.error, result.at("floors").at("error"));
  EXPECT_EQ(record.seconds, result.at("seconds"));
  EXPECT_EQ(record.device, result.at("device").get<std::string>());
  ASSERT_EQ(record.curve.size(), 9u);
  EXPECT_EQ(record.curve.back().step, 40);
  EXPECT_EQ(record.curve.back().test_loss, record.test_loss);
}

TEST(RunRecord, SaysHowTheRunWent) {
  TrainedRun run;
  RunRecord record = read_record(run.plan, run.folder);
  std::vector<double> norms;
  double sum = 0.0;
  for (const Metrics& metrics : record.curve) {
    if (metrics.step > 2) norms.push_back(metrics.gradient_norm);  // 6 % of 40 steps are 2.4
    sum += metrics.test_loss / 9.0;
  }
  EXPECT_DOUBLE_EQ(record.gradient_variation, statistics::standard_deviation(norms) / statistics::mean(norms));
  EXPECT_DOUBLE_EQ(record.loss_area, sum / record.curve.front().test_loss);

  // What a long run with its milestones writes.
  Json result = Json::parse(read_file(run.folder / "result.json"));
  result["steps_to_90"] = 25;
  result["loss_spikes"] = 3;
  result["validation_accuracy"] = nullptr;
  result["validation_loss"] = nullptr;
  result["converged"] = true;
  testing_support::write_resealed(run.folder / "result.json", result);
  record = read_record(run.plan, run.folder);
  EXPECT_EQ(record.steps_to_90.value(), 25);
  EXPECT_EQ(record.loss_spikes, 3.0);
  EXPECT_FALSE(record.validation_accuracy || record.validation_loss);
  EXPECT_TRUE(record.converged);
}

void expect_head_record(const HeadRecord& record, const RunVerdict& verdict, const ScoreTable& table,
                        AblationMethod method) {
  EXPECT_EQ(write_json(record.judged.run), write_json(verdict));
  const LayerDrops drops = table.drops(verdict.layer, method);
  EXPECT_EQ(record.judged.key_layer.alone, drops.alone);
  EXPECT_EQ(record.judged.key_layer.whole, drops.whole);
  EXPECT_EQ(record.judged.key_layer.only, drops.only);
  ASSERT_EQ(record.loss_drops.size(), 2u);
  ASSERT_EQ(record.accuracies.size(), 2u);
  for (int64_t l = 0; l < 2; ++l) {
    for (int64_t h = 0; h < 2; ++h) {
      const SampleScores& off = table.of({l, method, AblationExtent::alone, h});
      const auto layer = static_cast<size_t>(l), head = static_cast<size_t>(h);
      EXPECT_NEAR(record.loss_drops[layer][head], mean(off.loss) - mean(table.intact.loss), 1e-12);
      EXPECT_DOUBLE_EQ(record.accuracies[layer][head], mean(off.correct));
    }
  }
}

TEST(RunRecord, HasTheVerdictsThatWereMeasured) {
  const TrainedRun run;
  ASSERT_TRUE(run.measure());
  const RunRecord record = read_record(run.plan, run.folder);
  Session session(test_backend(), run.plan.config, {.training = false});
  const RunFolder folder(run.folder);
  AblationOptions options;
  options.sweep.samples = 40;
  options.sweep.batch = 16;
  const auto direct = [&](const std::string& model) {
    session.model().load_parameters(folder.load_model(session.model().layout(), model));
    return ablate_run(session, run.temporary.path(), "direct", options).value();
  };
  const RunAblation end = direct("model.safetensors");
  const AblationRecord& found = record.ablation.value();
  EXPECT_EQ(found.step, 40);
  EXPECT_EQ(found.samples, 40);
  EXPECT_EQ(found.accuracy, end.scores.intact_accuracy());
  EXPECT_EQ(found.floor_accuracy, end.context.floor_accuracy);
  EXPECT_EQ(found.removal.value(), end.removal);
  expect_head_record(found.record(Question::position).value(), *end.position, end.scores, AblationMethod::position_off);
  expect_head_record(found.record(Question::importance).value(), *end.importance, end.scores, AblationMethod::zero);

  ASSERT_EQ(record.snapshots.size(), 2u);
  EXPECT_EQ(record.snapshots[0].step, 10);
  EXPECT_EQ(record.snapshots[1].step, 30);
  EXPECT_FALSE(record.snapshots[0].removal);
  const RunAblation early = direct("snapshots/step_000010.safetensors");
  expect_head_record(record.snapshots[0].position.value(), *early.position, early.scores, AblationMethod::position_off);

  const Json published = Json::parse(read_file(run.folder / "ablation_published.json"));
  EXPECT_EQ(record.published.value().baseline, published.at("baseline"));
  EXPECT_EQ(record.published->samples, 128 + 48);
  const SpectrumRecord spectrum = read_study_spectrum(run.folder / "study_spectrum.json");
  EXPECT_EQ(record.spectrum.value().end_contractions, spectrum.end_contractions);
  ASSERT_EQ(record.lengths.size(), 2u);
  EXPECT_EQ(record.lengths[1].factor, 2.0);
}

TEST(RunRecord, WhatWasNotMeasuredIsLeftOut) {
  TrainedRun run({"model.encoding=learned", "train.snapshots="});
  RunRecord record = read_record(run.plan, run.folder);
  EXPECT_FALSE(record.ablation || record.published || record.spectrum);
  EXPECT_TRUE(record.snapshots.empty() && record.lengths.empty());
  run.plan.measures = {.lengths = {1.0, 2.0}};
  ASSERT_TRUE(run.measure());
  record = read_record(run.plan, run.folder);
  // A learned table ends where training did.
  ASSERT_EQ(record.lengths.size(), 1u);
  EXPECT_EQ(record.lengths[0].factor, 1.0);
  EXPECT_EQ(record.lengths[0].longest, run.plan.config.model.max_length);
}

TEST(RunRecord, TheReleasedProtocolWorksToo) {
  for (const char* encoding :
       {"model.encoding=sinusoidal(layout=halves)+rope", "model.encoding=mla(kv=8,q=8,rope=4)"}) {
    TrainedRun run({"protocol=released", encoding, "protocol.kv_source=hidden"});
    ASSERT_TRUE(run.measure()) << encoding;
    const RunRecord record = read_record(run.plan, run.folder);
    ASSERT_TRUE(record.ablation && record.published && record.spectrum);
    EXPECT_EQ(record.ablation->samples, 40);
    EXPECT_EQ(record.snapshots.size(), 2u);
    EXPECT_TRUE(std::isfinite(record.spectrum->end.spectral_norm));
  }
}

TEST(RunRecord, ADamagedFileIsNamed) {
  const TrainedRun run;
  ASSERT_TRUE(run.measure());
  for (const char* name :
       {"result.json", "config.json", "ablation.json", "ablation.safetensors", "ablation_step_000010.json",
        "ablation_step_000010.safetensors", "ablation_published.json", "study_spectrum.json", "lengths.json"}) {
    const std::string whole = read_file(run.folder / name);
    write_file_atomically(run.folder / name, whole.substr(0, whole.size() / 2));
    const auto read = [&] { read_record(run.plan, run.folder); };
    expect_words(message_of<FormatError>(read), {name});
    write_file_atomically(run.folder / name, "{}");
    expect_words(message_of<FormatError>(read), {name});
    write_file_atomically(run.folder / name, whole);
  }
  EXPECT_NO_THROW(read_record(run.plan, run.folder));
  write_file_atomically(run.folder / "metrics.jsonl", "");
  expect_words(message_of<FormatError>([&] { read_record(run.plan, run.folder); }), {"metrics.jsonl"});
}

TEST(RunRecord, FilesThatDoNotBelongTogetherAreRefused) {
  const TrainedRun run;
  ASSERT_TRUE(run.measure());
  const Json whole = Json::parse(read_file(run.folder / "ablation.json"));
  const auto expect_refused = [&](const Json& json, std::initializer_list<std::string_view> words) {
    testing_support::write_resealed(run.folder / "ablation.json", json);
    const std::string message = message_of<FormatError>([&] { read_record(run.plan, run.folder); });
    expect_words(message, {"ablation.json"});
    expect_words(message, words);
  };
  Json other = whole;
  other["samples"] = 39;
  expect_refused(other, {"39 samples"});
  other = whole;
  other["kind"] = "snapshots";
  expect_refused(other, {"snapshots"});
  other = whole;
  other["format"] = "phasor ablation 7";
  expect_refused(other, {"phasor ablation 7", "phasor ablation 1"});
  other = whole;
  other["position"]["layers"].erase(1);
  expect_refused(other, {"1 layers"});
  other = whole;
  other["importance"]["layers"][0]["effect"]["head_drops"].erase(1);
  expect_refused(other, {"1 heads"});
  other = whole;
  other["position"]["layer"] = 2;
  expect_refused(other, {"was not measured"});
}

TEST(StudyFiles, NumbersAndNoNumbersComeBack) {
  const TemporaryFolder temporary;
  const double none = std::nan("");
  const SpectrumRecord record{.start = {0.1, 1.0 / 3.0, none, 2.0},
                              .end = {1.0, 2.0, 3.0, 4e-300},
                              .start_contractions = {0.5, none},
                              .end_contractions = {0.25, 2.0 / 3.0},
                              .relative_r2 = 0.11,
                              .position_toeplitz = none,
                              .logit_interaction = 0.13,
                              .positional_share = 0.14,
                              .stream_position = 0.15,
                              .stream_interaction = -0.16,
                              .stream_interaction_deviation = none};
  const fs::path path = temporary / "study_spectrum.json";
  write_study_spectrum(record, path);
  const SpectrumRecord read = read_study_spectrum(path);
  EXPECT_EQ(read.start.contraction, 0.1);
  EXPECT_EQ(read.start.product_norm, 1.0 / 3.0);
  EXPECT_TRUE(std::isnan(read.start.spectral_norm));
  EXPECT_EQ(read.start.stable_rank, 2.0);
  EXPECT_EQ(read.end.contraction, 1.0);
  EXPECT_EQ(read.end.product_norm, 2.0);
  EXPECT_EQ(read.end.spectral_norm, 3.0);
  EXPECT_EQ(read.end.stable_rank, 4e-300);
  EXPECT_EQ(read.start_contractions[0], 0.5);
  EXPECT_TRUE(std::isnan(read.start_contractions[1]));
  EXPECT_EQ(read.end_contractions, record.end_contractions);
  EXPECT_EQ(read.relative_r2, 0.11);
  EXPECT_TRUE(std::isnan(read.position_toeplitz));
  EXPECT_EQ(read.logit_interaction, 0.13);
  EXPECT_EQ(read.positional_share, 0.14);
  EXPECT_EQ(read.stream_position, 0.15);
  EXPECT_EQ(read.stream_interaction, -0.16);
  EXPECT_TRUE(std::isnan(read.stream_interaction_deviation));
}

}  // namespace run_record_test
}  // namespace phasor
