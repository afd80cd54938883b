#include "phasor/run/config_builder.h"

#include <map>
#include <utility>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/run/config_complete.h"
#include "phasor/run/config_file.h"
#include "phasor/run/config_keys.h"
#include "phasor/run/config_presets.h"

namespace phasor {

void ConfigBuilder::add_file(const std::string& path) { add_json(read_file(path), path); }

void ConfigBuilder::add_json(std::string_view text, std::string_view file) {
  for (ConfigEntry& entry : read_config_entries(text, file)) {
    files_.push_back(
        {std::move(entry.key), std::move(entry.value), fmt::format("file {}", file), fmt::format("{}: ", file)});
  }
}

void ConfigBuilder::add_option(std::string_view option, std::string_view key, std::string_view value) {
  options_.push_back({std::string(key), std::string(value), std::string(option), ""});
}

void ConfigBuilder::add_set(std::string_view assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    fail_usage("--set {}: a key and a value are needed, for example --set model.width=128", assignment);
  }
  sets_.push_back({std::string(assignment.substr(0, equals)), std::string(assignment.substr(equals + 1)), "--set", ""});
}

RunConfig ConfigBuilder::build() const { return resolve().config; }

std::vector<ConfigLine> ConfigBuilder::explain() const { return resolve().lines; }

ConfigBuilder::Resolved ConfigBuilder::resolve() const {
  std::vector<Given> explicit_values;
  for (const std::vector<Given>* given : {&files_, &options_, &sets_}) {
    explicit_values.insert(explicit_values.end(), given->begin(), given->end());
  }
  RunConfig config;
  std::map<std::string, std::string> sources;
  const auto apply = [&](const std::vector<ConfigKey>& keys, const Given& given) {
    try {
      if (is_start_setting(given.key)) {
        if (given.file.empty()) fail_usage("{}: 'phasor train --from RUN' sets it", given.key);
        return set_start(config.start, given.key, given.value);
      }
      find_key(keys, given.key, config.task).set(config, given.value);
    } catch (const UsageError& error) {
      if (given.file.empty()) throw;
      throw UsageError(given.file + error.what());
    }
    sources[given.key] = given.source;
  };

  // These three decide what the other keys are and where they start. They are in every task's table.
  const std::vector<ConfigKey> any_keys = config_keys(task_catalogue().front());
  for (const Given& given : explicit_values) {
    if (given.key == "preset" || given.key == "protocol" || given.key == "task") apply(any_keys, given);
  }
  const TaskEntry& task = find_task(config.task);
  const std::vector<ConfigKey> keys = config_keys(task);
  const std::string preset_source = "preset " + config.preset;
  config.task_values = preset_task_values(config.preset, task);
  for (const TaskOption& option : task.options) sources["task." + option.name] = preset_source;
  for (const auto& [key, value] : preset_bundle(config.preset, task)) apply(keys, {key, value, preset_source, ""});
  for (const auto& [key, value] : protocol_bundle(config.protocol, config.preset, task)) {
    apply(keys, {key, value, "protocol " + config.protocol, ""});
  }
  for (const Given& given : explicit_values) apply(keys, given);

  // The default asks for no more than there is; a person who asks for more is told.
  if (!sources.contains("train.evaluation_samples") && config.train.evaluation_samples > config.data.train_samples) {
    config.train.evaluation_samples = config.data.train_samples;
    sources["train.evaluation_samples"] = "all of data.train";
  }
  if (!sources.contains("model.causal") && make_task(config.task, config.task_values)->shape().causal) {
    config.model.causal = true;
    sources["model.causal"] = "task " + config.task;
  }
  if (config.model.kv_heads == 0) sources["model.kv_heads"] = "as model.heads";
  if (config.model.head_width == 0) sources["model.head_width"] = "model.width / model.heads";

  check_start(config.start);
  Resolved resolved{complete(std::move(config)), {}};
  for (const ConfigKey& key : keys) {
    const auto source = sources.find(key.name);
    resolved.lines.push_back(
        {key.name, key.get(resolved.config), source == sources.end() ? "default" : source->second});
  }
  return resolved;
}

}  // namespace phasor
