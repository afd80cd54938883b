#include "phasor/run/metrics.h"

#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/base/json_fields.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kFewestEvaluations = 10;
constexpr double kAccuracyRise = 0.005;
constexpr double kLossFall = 0.01;

}  // namespace

const Fields<Metrics>& json_fields(const Metrics*) {
  static const Fields<Metrics> fields = {
      size_field("step", &Metrics::step, "steps done"),
      size_field("tokens", &Metrics::tokens, "tokens trained on so far; there is no padding"),
      size_field("learning_rate", &Metrics::learning_rate,
                 "of the last step; before the first step this and the next two are 0"),
      size_field("gradient_norm", &Metrics::gradient_norm, "of the last step, over all parameters, before clipping"),
      field("batch_loss", &Metrics::batch_loss, "mean loss of the last step's batch, with dropout"),
      size_field("train_loss", &Metrics::train_loss,
                 "on the first `train.evaluation_samples` of the training set, without dropout"),
      share_field("train_accuracy", &Metrics::train_accuracy, "on the same"),
      size_field("test_loss", &Metrics::test_loss,
                 "on the first `train.evaluation_tests` of the test set (0, the default: all), without dropout"),
      share_field("test_accuracy", &Metrics::test_accuracy, "on the same"),
      share_if_there("test_whole", &Metrics::test_whole,
                     "share of test sequences with every target right; only for tasks that read every token, "
                     "such as `copy`")};
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

}  // namespace phasor
