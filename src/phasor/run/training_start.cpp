#include "phasor/run/training_start.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "phasor/base/content_hash.h"
#include "phasor/base/error.h"
#include "phasor/run/config_json.h"
#include "phasor/run/config_keys.h"
#include "phasor/run/trained_model.h"

namespace phasor {
namespace {

// Of the model, what trained weights do not depend on.
constexpr std::array<std::string_view, 4> kFreeOfModel = {"model.encoding", "model.dropout", "model.dropout_sites",
                                                          "model.logit_scale"};

void require_same_model(const RunConfig& trained, const RunConfig& asked) {
  if (asked.task != trained.task) {
    fail_usage("--from: the run was trained on {}, not on {}; a readout answers one task", trained.task, asked.task);
  }
  for (const ConfigKey& key : config_keys(find_task(trained.task))) {
    const bool is_of_model = key.name.rfind("model.", 0) == 0 || key.name.rfind("protocol", 0) == 0;
    if (!is_of_model || std::find(kFreeOfModel.begin(), kFreeOfModel.end(), key.name) != kFreeOfModel.end()) continue;
    const std::string before = key.get(trained), now = key.get(asked);
    if (before == now) continue;
    fail_usage("--from: the run was trained with {}={}, and its weights are of no use with {}", key.name, before, now);
  }
}

// The same for the same numbers, wherever an array has its gaps.
std::string hash_of(const ParameterLayout& layout, const std::vector<float>& values) {
  ContentHash hash;
  for (const Parameter& entry : layout.entries()) {
    hash.add(entry.name);
    hash.add(
        std::as_bytes(std::span(values).subspan(static_cast<size_t>(entry.offset), static_cast<size_t>(entry.size))));
  }
  return hash.digits();
}

}  // namespace

RunConfig starting_config(const RunFolder& source) {
  RunConfig config = source.load_config();
  config.train.snapshots.clear();
  return config;
}

TrainingStart start_from(const RunFolder& source, std::optional<int64_t> step, const RunConfig& asked) {
  const RunConfig trained = source.load_config();
  require_same_model(trained, asked);
  const std::string name = trained_model_file(source, trained, step);
  source.check_model(trained, name);
  const ResolvedEncoding before = resolve_encoding(trained.model), after = resolve_encoding(asked.model);
  const ParameterLayout layout(trained.model, before), own(asked.model, after);
  const std::vector<float> values = source.load_model(layout, name);
  TrainingStart start{.config = asked, .swap = compare_layouts({before, layout}, {after, own}), .parameters = {}};
  start.parameters = carried_parameters(layout, values, own, own.initial_values(asked.seed));
  const int64_t steps = step.value_or(trained.train.steps);
  start.config.start = {.weights = hash_of(layout, values),
                        .run = config_id(trained),
                        .encoding = trained.model.encoding,
                        .step = steps,
                        .samples = trained.start.samples + steps * trained.train.batch};
  return start;
}

void save_start(const RunFolder& folder, const TrainingStart& start) {
  const ParameterLayout layout(start.config.model, resolve_encoding(start.config.model));
  folder.save_model(layout, start.parameters, start.config, 0, kStartFile);
}

bool has_start(const RunFolder& folder) { return std::filesystem::exists(folder.file(kStartFile)); }

std::vector<float> load_start(const RunFolder& folder, const ParameterLayout& layout, const RunConfig& config) {
  if (!has_start(folder)) {
    fail(
        "'{}' starts from the weights {} of the run {} ({}), and has no {}; 'phasor train --from' gives it to a new "
        "run",
        folder.path().string(), config.start.weights, config.start.run, config.start.encoding, kStartFile);
  }
  folder.check_model(config, kStartFile);
  return folder.load_model(layout, kStartFile);
}

}  // namespace phasor
