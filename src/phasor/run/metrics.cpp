#include "phasor/run/metrics.h"

#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/base/json_fields.h"
#include "phasor/base/seal.h"
#include "phasor/run/config_json.h"
#include "phasor/task/task_output.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kFewestEvaluations = 10;
constexpr double kAccuracyRise = 0.005;
constexpr double kLossFall = 0.01;

}  // namespace

static const Fields<Metrics>& json_fields(const Metrics*) {
  static const Fields<Metrics> fields = {
      size_field("step", &Metrics::step, "updates so far"),
      size_field("tokens", &Metrics::tokens, "trained on so far"),
      size_field("learning_rate", &Metrics::learning_rate, "of the last update"),
      size_field("gradient_norm", &Metrics::gradient_norm, "of the last update, before clipping"),
      field("batch_loss", &Metrics::batch_loss, "of the last update's batch, with dropout"),
      size_field("train_loss", &Metrics::train_loss, "on training samples, without dropout"),
      share_field("train_accuracy", &Metrics::train_accuracy, "on training samples, without dropout"),
      size_field("test_loss", &Metrics::test_loss, "on test samples"),
      share_field("test_accuracy", &Metrics::test_accuracy, "on test samples"),
      share_if_there("test_whole", &Metrics::test_whole, "share of whole answers, where every token is read")};
  return fields;
}

std::string to_json_line(const Metrics& metrics) { return write_json(metrics).dump(); }

Metrics parse_metrics(std::string_view line, std::string_view source) {
  try {
    return read_json<Metrics>(Json::parse(line));
  } catch (const Json::exception& error) {
    throw FormatError(fmt::format("{}: not a line of metrics ({})", source, error.what()));
  } catch (const FormatError& error) {
    throw FormatError(fmt::format("{}: {}", source, error.what()));
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
