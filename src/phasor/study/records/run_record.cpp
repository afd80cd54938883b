#include "phasor/study/records/run_record.h"

#include "phasor/ablation/ablation_files.h"
#include "phasor/ablation/ablation_json.h"
#include "phasor/run/config_json.h"
#include "phasor/run/finished_run.h"
#include "phasor/study/carry_out/measured_file.h"
#include "phasor/study/carry_out/run_measures.h"
#include "phasor/study/carry_out/study_lengths.h"
#include "phasor/study/carry_out/study_spectrum.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

void take_result(const StoredResult& result, RunRecord& record) {
  record.steps = result.steps;
  record.parameters = result.parameters;
  record.train_accuracy = result.train_accuracy;
  record.test_accuracy = result.test_accuracy;
  record.test_loss = result.test_loss;
  record.validation_accuracy = result.validation_accuracy;
  record.validation_loss = result.validation_loss;
  record.steps_to_90 = result.steps_to_90;
  record.converged = result.converged;
  record.loss_spikes = static_cast<double>(result.loss_spikes.value_or(0));
  record.floors = result.floors;
  record.seconds = result.seconds;
  record.device = result.device;
}

HeadRecord head_record(RunVerdict verdict, const ScoreTable& table, Question question) {
  const AblationMethod method = judged_method(question);
  HeadRecord record{.judged = {std::move(verdict), {}}};
  for (const LayerVerdict& layer : record.judged.run.layers) {
    const auto heads = static_cast<int64_t>(layer.effect.heads.size());
    if (heads != table.heads) fail("a verdict is about {} heads, the scores about {}", heads, table.heads);
  }
  const auto layers = static_cast<int64_t>(record.judged.run.layers.size());
  if (layers != table.layers) fail("a verdict is about {} layers, the scores about {}", layers, table.layers);
  record.judged.key_layer = table.drops(record.judged.run.layer, method);
  for (int64_t l = 0; l < table.layers; ++l) {
    record.loss_drops.emplace_back();
    record.accuracies.emplace_back();
    for (int64_t h = 0; h < table.heads; ++h) {
      const Condition condition{l, method, AblationExtent::alone, h};
      record.loss_drops.back().push_back(table.mean_loss_drop(condition));
      record.accuracies.back().push_back(table.accuracy(condition));
    }
  }
  return record;
}

AblationRecord ablation_from(StoredAblation stored, const ScoreTable& table, const ModelConfig& model, bool finished) {
  AblationRecord record{.step = stored.source.step,
                        .samples = stored.samples,
                        .accuracy = stored.intact.accuracy,
                        .floor_accuracy = stored.floor_accuracy,
                        .position = {},
                        .importance = {},
                        .removal = {}};
  if (record.samples != table.samples || table.layers != model.layers || table.heads != model.heads) {
    fail(
        "{} samples of a model with {} layers of {} heads do not belong to scores of {} samples, {} layers of {} heads",
        record.samples, model.layers, model.heads, table.samples, table.layers, table.heads);
  }
  if (stored.position) record.position = head_record(std::move(*stored.position), table, Question::position);
  if (stored.importance) record.importance = head_record(std::move(*stored.importance), table, Question::importance);
  if (finished) record.removal = std::move(stored.removal);
  return record;
}

std::optional<AblationRecord> read_ablation(const fs::path& folder, const RunConfig& config, SnapshotStep snapshot) {
  const std::string stem = ablation_stem(snapshot);
  const fs::path path = folder / (stem + ".json");
  if (!fs::exists(path)) return std::nullopt;
  const StoredScores scores = load_scores(folder / (stem + ".safetensors"));
  return read_measured_file(path, kAblationFormat, [&](const Json& json) {
    if (json.at("kind") != "run") fail("it is of kind {}, not \"run\"", json.at("kind").dump());
    StoredAblation stored = read_members<StoredAblation>(json);
    if (stored.source != ablation_source(config, snapshot)) fail("it was measured of another run");
    const Json plan = Json::parse(scores.plan);
    if (plan.at("parameters") != stored.parameters) fail("the scores beside it were measured with other weights");
    if (plan.at("config").get<std::string>() != config_id(config)) fail("it was measured of another run");
    return ablation_from(std::move(stored), scores.table, config.model, !snapshot.has_value());
  });
}

void read_measures(const fs::path& folder, const RunConfig& config, RunRecord& record) {
  record.ablation = read_ablation(folder, config, {});
  for (const int64_t step : measured_snapshots(config.train)) {
    if (std::optional<AblationRecord> snapshot = read_ablation(folder, config, step)) {
      record.snapshots.push_back(std::move(*snapshot));
    }
  }
  const fs::path published = folder / (ablation_stem() + "_published.json");
  if (fs::exists(published)) {
    record.published = read_measured_file(published, kAblationFormat, [&](const Json& json) {
      StoredPublished stored = read_members<StoredPublished>(json);
      if (stored.source != ablation_source(config)) fail("it was measured of another run");
      return std::move(stored.ablation);
    });
  }
  if (fs::exists(folder / kStudySpectrumFile)) {
    record.spectrum = read_study_spectrum(folder / kStudySpectrumFile, config_id(config));
  }
  if (!fs::exists(folder / kStudyLengthsFile)) return;
  for (const MeasuredLength& length : read_study_lengths(folder / kStudyLengthsFile, config_id(config))) {
    if (length.record) record.lengths.push_back(*length.record);
  }
}

}  // namespace

RunRecord read_record(const PlannedRun& run, const fs::path& folder) {
  FinishedRun finished = read_finished_run(RunFolder(folder));
  const RunConfig& config = finished.config;
  if (config_id(config) != config_id(run.config)) {
    throw FormatError(fmt::format("'{}' holds a run with other settings than its name stands for", folder.string()));
  }
  RunRecord record{.id = run.id,
                   .cell = run.cell,
                   .tuning = run.tuning,
                   .seed = config.seed,
                   .data_seed = config.data.seed,
                   .test_samples = config.data.test_samples,
                   .learning_rate = config.train.learning_rate,
                   .layers = config.model.layers,
                   .heads = config.model.heads};
  take_result(finished.result, record);
  record.learned = learned_tensors_if_there(RunFolder(folder), config, finished.result);
  record.curve = std::move(finished.history);
  record.gradient_variation = gradient_variation_of(record.curve, config.train);
  record.loss_area = loss_area_of(record.curve);
  if (config.telemetry.spectrum > 0) record.training = training_spectra(RunFolder(folder).load_telemetry());
  read_measures(folder, config, record);
  return record;
}

}  // namespace phasor
