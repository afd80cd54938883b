#include "phasor/run/metrics.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/base/seal.h"
#include "phasor/run/config_json.h"
#include "phasor/task/task_output.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kFewestEvaluations = 10;
constexpr double kAccuracyRise = 0.005;
constexpr double kLossFall = 0.01;

void check_ranges(const Metrics& metrics, std::string_view source) {
  const auto require = [&](bool holds, const char* name, double value) {
    if (!holds) throw FormatError(fmt::format("{}: {} is {}, which cannot be", source, name, value));
  };
  const auto is_share = [](double value) { return value >= 0.0 && value <= 1.0; };
  const auto is_size = [](double value) { return std::isfinite(value) && value >= 0.0; };
  require(metrics.step >= 0, "step", static_cast<double>(metrics.step));
  require(metrics.tokens >= 0, "tokens", static_cast<double>(metrics.tokens));
  require(is_share(metrics.train_accuracy), "train_accuracy", metrics.train_accuracy);
  require(is_share(metrics.test_accuracy), "test_accuracy", metrics.test_accuracy);
  require(is_share(metrics.test_whole.value_or(0.0)), "test_whole", metrics.test_whole.value_or(0.0));
  require(is_size(metrics.learning_rate), "learning_rate", metrics.learning_rate);
  require(is_size(metrics.gradient_norm), "gradient_norm", metrics.gradient_norm);
  require(is_size(metrics.train_loss), "train_loss", metrics.train_loss);
  require(is_size(metrics.test_loss), "test_loss", metrics.test_loss);
}

}  // namespace

std::string to_json_line(const Metrics& m) {
  Json line = {{"step", m.step},
               {"tokens", m.tokens},
               {"learning_rate", m.learning_rate},
               {"gradient_norm", m.gradient_norm},
               {"batch_loss", m.batch_loss},
               {"train_loss", m.train_loss},
               {"train_accuracy", m.train_accuracy},
               {"test_loss", m.test_loss},
               {"test_accuracy", m.test_accuracy}};
  if (m.test_whole) line["test_whole"] = *m.test_whole;
  return line.dump();
}

Metrics parse_metrics(std::string_view line, std::string_view source) {
  try {
    const Json json = Json::parse(line);
    Metrics metrics{.step = json.at("step").get<int64_t>(),
                    .tokens = json.at("tokens").get<int64_t>(),
                    .learning_rate = json.at("learning_rate").get<double>(),
                    .gradient_norm = json.at("gradient_norm").get<double>(),
                    .batch_loss = json.at("batch_loss").get<double>(),
                    .train_loss = json.at("train_loss").get<double>(),
                    .train_accuracy = json.at("train_accuracy").get<double>(),
                    .test_loss = json.at("test_loss").get<double>(),
                    .test_accuracy = json.at("test_accuracy").get<double>()};
    if (json.contains("test_whole")) metrics.test_whole = json.at("test_whole").get<double>();
    check_ranges(metrics, source);
    return metrics;
  } catch (const Json::exception& error) {
    throw FormatError(fmt::format("{}: not a line of metrics ({})", source, error.what()));
  }
}

std::optional<int64_t> steps_to_accuracy(const std::vector<Metrics>& history, double accuracy) {
  for (const Metrics& metrics : history) {
    if (metrics.test_accuracy >= accuracy) return metrics.step;
  }
  return std::nullopt;
}

bool has_converged(const std::vector<Metrics>& history) {
  if (history.size() < kFewestEvaluations) return false;
  const Metrics& last = history.back();
  // The latest evaluation that is at least a tenth of the run old.
  const Metrics* before = &history.front();
  for (const Metrics& metrics : history) {
    if (10 * metrics.step <= 9 * last.step) before = &metrics;
  }
  return last.test_accuracy - before->test_accuracy <= kAccuracyRise && before->test_loss - last.test_loss <= kLossFall;
}

std::string to_json(const RunConfig& config, const RunResult& result) {
  Json json = {
      {"run", config_id(config)},
      {"task", config.task},
      {"encoding", config.model.encoding},
      {"protocol", config.protocol},
      {"preset", config.preset},
      {"seed", config.seed},
      {"data_seed", config.data.seed},
      {"parameters", result.parameters},
      {"steps", result.last.step},
      {"tokens", result.last.tokens},
      {"train_accuracy", result.full_train_accuracy},
      {"train_loss", result.full_train_loss},
      {"test_accuracy", result.test.accuracy},
      {"test_loss", result.test.loss},
      {"test_whole", nullptr},
      {"validation_accuracy", nullptr},
      {"validation_loss", nullptr},
      {"floors", floors_json(result.floors)},
      {"steps_to_90", nullptr},
      {"converged", result.converged},
      {"loss_spikes", nullptr},
      {"largest_loss_jump", nullptr},
      {"seconds", result.seconds},
      {"tokens_per_second", result.seconds > 0.0 ? static_cast<double>(result.last.tokens) / result.seconds : 0.0},
      {"device", result.device}};
  if (config.model.readout == Readout::every) json["test_whole"] = result.test.whole;
  if (result.validation) {
    json["validation_accuracy"] = result.validation->accuracy;
    json["validation_loss"] = result.validation->loss;
  }
  if (result.spikes.judged() > 0) {
    json["loss_spikes"] = result.spikes.spikes();
    json["largest_loss_jump"] = result.spikes.largest_jump();
  }
  if (result.steps_to_90) json["steps_to_90"] = *result.steps_to_90;
  for (const auto& [name, tally] : result.lines) json["lines"][name] = {{"lines", tally.lines}, {"xxh64", tally.hash}};
  return sealed(json.dump(2) + "\n");
}

}  // namespace phasor
