#include "phasor/run/finished_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "phasor/base/error.h"
#include "phasor/base/seal.h"
#include "phasor/base/shown_text.h"
#include "phasor/run/config_json.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

// A member of result.json that must agree with the run's settings.
template <class Value>
void require_equal(const Json& json, const char* key, const Value& expected) {
  if (json.at(key) == Json(expected)) return;
  fail("{} is {}, but the run's settings say {}", key, json.at(key).dump(), Json(expected).dump());
}

double share(const Json& json, const char* key) {
  const double value = json.at(key).get<double>();
  if (!(value >= 0.0 && value <= 1.0)) fail("{} is {}, not a share from 0 to 1", key, value);
  return value;
}

double size(const Json& json, const char* key) {
  const double value = json.at(key).get<double>();
  if (!(std::isfinite(value) && value >= 0.0)) fail("{} is {}, which cannot be", key, value);
  return value;
}

int64_t count(const Json& json, const char* key) {
  const int64_t value = json.at(key).is_number_integer() ? json.at(key).get<int64_t>() : -1;
  if (value < 0) fail("{} is {}, not a count", key, json.at(key).dump());
  return value;
}

template <class Read>
auto unless_null(const Json& json, const char* key, const Read& read) -> std::optional<decltype(read(json, key))> {
  if (json.at(key).is_null()) return std::nullopt;
  return read(json, key);
}

TaskFloors floors_of(const Json& json) {
  return {.chance = share(json, "chance"),
          .constant = share(json, "constant"),
          .length = share(json, "length"),
          .rule = share(json, "rule"),
          .ceiling = share(json, "ceiling"),
          .ambiguous = share(json, "ambiguous"),
          .decoys = json.at("decoys"),
          .samples = count(json, "samples"),
          .error = json.at("error")};
}

// A member of another name was one of these once: most likely the checksum.
void check_members(const Json& json) {
  static const std::set<std::string, std::less<>> known = {"run",
                                                           "task",
                                                           "encoding",
                                                           "protocol",
                                                           "preset",
                                                           "seed",
                                                           "data_seed",
                                                           "parameters",
                                                           "steps",
                                                           "tokens",
                                                           "train_accuracy",
                                                           "train_loss",
                                                           "test_accuracy",
                                                           "test_loss",
                                                           "test_whole",
                                                           "validation_accuracy",
                                                           "floors",
                                                           "validation_loss",
                                                           "steps_to_90",
                                                           "converged",
                                                           "loss_spikes",
                                                           "seconds",
                                                           "largest_loss_jump",
                                                           "tokens_per_second",
                                                           "device",
                                                           "lines",
                                                           "packed",
                                                           std::string(kSealKey)};
  for (const auto& [key, value] : json.items()) {
    if (known.find(key) == known.end()) fail("an unknown member '{}'", shown_text(key));
  }
}

void check_identity(const Json& json, const RunConfig& config) {
  require_equal(json, "task", config.task);
  require_equal(json, "encoding", config.model.encoding);
  require_equal(json, "protocol", config.protocol);
  require_equal(json, "seed", config.seed);
  require_equal(json, "data_seed", config.data.seed);
  require_equal(json, "steps", config.train.steps);
  if (json.contains("run")) require_equal(json, "run", config_id(config));
}

StoredResult result_of(const Json& json, const RunConfig& config) {
  check_members(json);
  check_identity(json, config);
  StoredResult result{.parameters = count(json, "parameters"),
                      .steps = count(json, "steps"),
                      .tokens = count(json, "tokens"),
                      .train_accuracy = share(json, "train_accuracy"),
                      .train_loss = size(json, "train_loss"),
                      .test_accuracy = share(json, "test_accuracy"),
                      .test_loss = size(json, "test_loss"),
                      .test_whole = unless_null(json, "test_whole", share),
                      .validation_accuracy = unless_null(json, "validation_accuracy", share),
                      .validation_loss = unless_null(json, "validation_loss", size),
                      .floors = floors_of(json.at("floors")),
                      .steps_to_90 = unless_null(json, "steps_to_90", count),
                      .converged = json.at("converged"),
                      .loss_spikes = unless_null(json, "loss_spikes", count),
                      .largest_loss_jump = unless_null(json, "largest_loss_jump", size),
                      .seconds = size(json, "seconds"),
                      .device = json.at("device"),
                      .packed = json.value("packed", std::vector<std::string>())};
  if (result.steps_to_90.value_or(0) > result.steps) fail("steps_to_90 is more than the run's {} steps", result.steps);
  return result;
}

// read(json) with errors that name the source.
template <class Read>
auto read_json_text(std::string_view text, std::string_view source, const Read& read) {
  try {
    return read(Json::parse(text));
  } catch (const Json::exception& error) {
    throw FormatError(fmt::format("'{}': not a result ({})", source, error.what()));
  } catch (const Error& error) {
    throw FormatError(fmt::format("'{}': {}", source, error.what()));
  }
}

template <class Read>
auto read_result_file(const RunFolder& folder, const Read& read) {
  const std::string path = folder.file("result.json").string();
  return read_sealed_file(path, [&](const std::string& text) { return read_json_text(text, path, read); });
}

// The lines of a file are those that the result was made with. Older results say nothing about them.
void check_lines(const RunFolder& folder, const Json& json, const char* name) {
  if (!json.contains("lines") || !json.at("lines").contains(name)) return;
  const Json& known = json.at("lines").at(name);
  const LineTally now = folder.tally(name);
  if (known.at("lines") == now.lines() && known.at("xxh64") == now.hash()) return;
  throw FormatError(fmt::format("'{}' is not the file that the run wrote: it has {} lines now, {} then",
                                folder.file(name).string(), now.lines(), known.at("lines").dump()));
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
  return read_result_file(folder, [&](const Json& json) { return result_of(json, config); });
}

StoredResult parse_result(std::string_view text, const RunConfig& config, std::string_view source) {
  return read_json_text(text, source, [&](const Json& json) { return result_of(json, config); });
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
  run.result = read_result_file(folder, [&](const Json& json) {
    StoredResult result = result_of(json, run.config);
    check_lines(folder, json, "metrics.jsonl");
    check_lines(folder, json, "telemetry.jsonl");
    return result;
  });
  run.history = folder.load_metrics();
  check_history(folder, run.config, run.history);
  check_end(folder, run.result, run.history.back());
  check_presence(folder, run.config, run.result.packed);
  return run;
}

}  // namespace phasor
