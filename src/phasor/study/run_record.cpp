#include "phasor/study/run_record.h"

#include "phasor/ablation/ablation_files.h"
#include "phasor/ablation/ablation_json.h"
#include "phasor/study/measured_file.h"
#include "phasor/study/run_measures.h"
#include "phasor/study/study_lengths.h"
#include "phasor/study/study_spectrum.h"
#include "phasor/train/run_folder.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

template <class Number>
std::optional<Number> optional_number(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<Number>());
}

TaskFloors floors_from(const Json& json) {
  return {.chance = json.at("chance"),
          .constant = json.at("constant"),
          .length = json.at("length"),
          .rule = json.at("rule"),
          .ceiling = json.at("ceiling"),
          .ambiguous = json.at("ambiguous"),
          .decoys = json.at("decoys"),
          .samples = json.at("samples"),
          .error = json.at("error")};
}

void read_result(const Json& json, RunRecord& record) {
  record.steps = json.at("steps");
  record.parameters = json.at("parameters");
  record.train_accuracy = json.at("train_accuracy");
  record.test_accuracy = json.at("test_accuracy");
  record.test_loss = json.at("test_loss");
  record.validation_accuracy = optional_number<double>(json.at("validation_accuracy"));
  record.validation_loss = optional_number<double>(json.at("validation_loss"));
  record.steps_to_90 = optional_number<int64_t>(json.at("steps_to_90"));
  record.converged = json.at("converged");
  // null where the run was too short to judge any step.
  record.loss_spikes = optional_number<double>(json.at("loss_spikes")).value_or(0.0);
  record.floors = floors_from(json.at("floors"));
  record.seconds = json.at("seconds");
  record.device = json.at("device");
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

AblationRecord ablation_from(const Json& json, const ScoreTable& table, const ModelConfig& model, bool finished) {
  if (json.at("kind") != "run") fail("it is of kind {}, not \"run\"", json.at("kind").dump());
  AblationRecord record{.step = json.at("source").at("step"),
                        .samples = json.at("samples"),
                        .accuracy = json.at("intact").at("accuracy"),
                        .floor_accuracy = json.at("floor_accuracy"),
                        .position = {},
                        .importance = {},
                        .removal = {}};
  if (record.samples != table.samples || table.layers != model.layers || table.heads != model.heads) {
    fail(
        "{} samples of a model with {} layers of {} heads do not belong to scores of {} samples, {} layers of {} heads",
        record.samples, model.layers, model.heads, table.samples, table.layers, table.heads);
  }
  for (const Question question : {Question::position, Question::importance}) {
    const Json& verdict = json.at(name(question));
    if (verdict.is_null()) continue;
    (question == Question::position ? record.position : record.importance) =
        head_record(verdict_from_json(verdict), table, question);
  }
  if (finished) record.removal = removal_from_json(json.at("removal"));
  return record;
}

std::optional<AblationRecord> read_ablation(const fs::path& folder, const RunConfig& config, SnapshotStep snapshot) {
  const std::string stem = ablation_stem(snapshot);
  const fs::path path = folder / (stem + ".json");
  if (!fs::exists(path)) return std::nullopt;
  const ScoreTable table = load_scores(folder / (stem + ".safetensors")).table;
  return read_measured_file(path, kAblationFormat, [&](const Json& json) {
    return ablation_from(json, table, config.model, !snapshot.has_value());
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
    record.published = read_measured_file(published, kAblationFormat, published_from_json);
  }
  if (fs::exists(folder / kStudySpectrumFile)) record.spectrum = read_study_spectrum(folder / kStudySpectrumFile);
  if (!fs::exists(folder / kStudyLengthsFile)) return;
  for (const MeasuredLength& length : read_study_lengths(folder / kStudyLengthsFile)) {
    if (length.record) record.lengths.push_back(*length.record);
  }
}

}  // namespace

RunRecord read_record(const PlannedRun& run, const fs::path& folder) {
  const RunFolder files(folder);
  const RunConfig config = files.load_config();
  RunRecord record{.id = run.id,
                   .cell = run.cell,
                   .tuning = run.tuning,
                   .seed = config.seed,
                   .learning_rate = config.train.learning_rate,
                   .layers = config.model.layers,
                   .heads = config.model.heads};
  read_json_file(files.file("result.json"), [&](const Json& json) { read_result(json, record); });
  record.curve = files.load_metrics();
  if (record.curve.empty()) {
    throw FormatError(fmt::format("'{}' has no evaluations", files.file("metrics.jsonl").string()));
  }
  record.gradient_variation = gradient_variation_of(record.curve, config.train);
  record.loss_area = loss_area_of(record.curve);
  read_measures(folder, config, record);
  return record;
}

}  // namespace phasor
