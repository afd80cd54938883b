#include "phasor/train/stability.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "phasor/base/error.h"
#include "phasor/base/file.h"

namespace phasor {
namespace {

double mean(const std::vector<double>& values) {
  return values.empty() ? 0.0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::optional<double> coefficient_of_variation(const std::vector<double>& values) {
  const double centre = mean(values);
  if (values.size() < 2 || centre == 0.0) return std::nullopt;
  double squares = 0.0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1)) / centre;
}

TrainingStability training_stability(const RunFolder& folder) {
  if (!folder.complete()) fail_usage("'{}' is not complete: it has no result.json", folder.path().string());
  TrainingStability stability;
  const std::string path = folder.file("result.json").string();
  try {
    const nlohmann::json result = nlohmann::json::parse(read_file(path));
    if (!result.at("loss_spikes").is_null()) stability.loss_spikes = result.at("loss_spikes").get<int64_t>();
    if (!result.at("largest_loss_jump").is_null()) {
      stability.largest_loss_jump = result.at("largest_loss_jump").get<double>();
    }
  } catch (const nlohmann::json::exception& error) {
    throw FormatError(fmt::format("'{}': {}", path, error.what()));
  }
  std::vector<double> norms;
  for (const Metrics& metrics : folder.load_metrics()) {
    if (metrics.step > 0) norms.push_back(metrics.gradient_norm);
  }
  stability.norms = static_cast<int64_t>(norms.size());
  stability.mean_gradient_norm = mean(norms);
  stability.gradient_norm_spread = coefficient_of_variation(norms);
  return stability;
}

}  // namespace phasor
