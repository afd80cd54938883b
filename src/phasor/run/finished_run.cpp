#include "phasor/run/finished_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/base/json_fields.h"
#include "phasor/base/seal.h"
#include "phasor/run/config_json.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

// A member of result.json that must agree with the run's settings.
template <class Value>
void require_equal(const char* member, const Value& stored, const Value& expected) {
  if (stored == expected) return;
  fail("{} is {}, but the run's settings say {}", member, Json(stored).dump(), Json(expected).dump());
}

StoredResult result_of(Json json, const RunConfig& config) {
  json.erase(std::string(kSealKey));
  const bool has_id = json.contains("run");
  StoredResult result = read_json<StoredResult>(json);
  require_equal("task", result.task, config.task);
  require_equal("encoding", result.encoding, config.model.encoding);
  require_equal("protocol", result.protocol, config.protocol);
  require_equal("seed", result.seed, config.seed);
  require_equal("data_seed", result.data_seed, config.data.seed);
  require_equal("steps", result.steps, config.train.steps);
  require_equal("start.weights", result.start.value_or(StartConfig{}).weights, config.start.weights);
  if (has_id) require_equal("run", result.run, config_id(config));
  if (result.steps_to_90.value_or(0) > result.steps) fail("steps_to_90 is more than the run's {} steps", result.steps);
  return result;
}

// The lines of a file are those that the result was made with. Older results say nothing about them.
void check_lines(const RunFolder& folder, const StoredResult& result) {
  for (const char* name : {"metrics.jsonl", "telemetry.jsonl"}) {
    const auto known = result.lines.find(name);
    if (known == result.lines.end()) continue;
    const LineTally now = folder.tally(name);
    if (known->second.lines == now.lines() && known->second.hash == now.hash()) continue;
    throw FormatError(fmt::format("'{}' is not the file that the run wrote: it has {} lines now, {} then",
                                  folder.file(name).string(), now.lines(), known->second.lines));
  }
}

// What every version's files must obey.
void check_history(const RunFolder& folder, const RunConfig& config, const std::vector<Metrics>& history) {
  const std::string path = folder.file("metrics.jsonl").string();
  const int64_t expected = expected_evaluations(config.train, config.train.steps);
  if (std::ssize(history) != expected) {
    throw FormatError(fmt::format("'{}' has {} evaluations; a run of {} steps has {}", path, history.size(),
                                  config.train.steps, expected));
  }
  for (size_t i = 0; i < history.size(); ++i) {
    const int64_t step = std::min<int64_t>(static_cast<int64_t>(i) * config.train.evaluate_every, config.train.steps);
    if (history[i].step == step) continue;
    throw FormatError(fmt::format("{}:{}: an evaluation of step {} where that of step {} belongs", path, i + 1,
                                  history[i].step, step));
  }
}

void check_end(const RunFolder& folder, const StoredResult& result, const Metrics& last) {
  if (last.tokens == result.tokens) return;
  throw FormatError(fmt::format("'{}' ends after {} tokens, the result after {}: they belong to different runs",
                                folder.file("metrics.jsonl").string(), last.tokens, result.tokens));
}

}  // namespace

int64_t expected_evaluations(const TrainConfig& train, int64_t steps) {
  const int64_t extra = steps == train.steps && steps % train.evaluate_every != 0 ? 1 : 0;
  return steps / train.evaluate_every + 1 + extra;
}

StoredResult read_result(const RunFolder& folder, const RunConfig& config) {
  const std::string path = folder.file("result.json").string();
  return read_sealed_file(path, [&](const std::string& text) { return parse_result(text, config, path); });
}

StoredResult parse_result(std::string_view text, const RunConfig& config, std::string_view source) {
  try {
    return result_of(Json::parse(text), config);
  } catch (const Json::exception& error) {
    throw FormatError(fmt::format("'{}': not a result ({})", source, error.what()));
  } catch (const Error& error) {
    throw FormatError(fmt::format("'{}': {}", source, error.what()));
  }
}

// What a finished run has must be there, or have been left out on purpose.
void check_presence(const RunFolder& folder, const RunConfig& config, const std::vector<std::string>& packed) {
  std::vector<std::string> names = {"model.safetensors"};
  for (const int64_t step : config.train.snapshots) names.push_back(snapshot_name(step));
  for (const std::string& name : names) {
    if (std::filesystem::exists(folder.file(name))) continue;
    if (std::find(packed.begin(), packed.end(), name) != packed.end()) continue;
    throw FormatError(
        fmt::format("'{}' is missing, and the run does not say that it was packed", folder.file(name).string()));
  }
}

FinishedRun read_finished_run(const RunFolder& folder) {
  FinishedRun run{.config = folder.load_config()};
  run.result = read_result(folder, run.config);
  check_lines(folder, run.result);
  run.history = folder.load_metrics();
  check_history(folder, run.config, run.history);
  check_end(folder, run.result, run.history.back());
  check_presence(folder, run.config, run.result.packed);
  return run;
}

}  // namespace phasor
