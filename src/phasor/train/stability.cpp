#include "phasor/train/stability.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/run/finished_run.h"

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
  const FinishedRun run = read_finished_run(folder);
  stability.loss_spikes = run.result.loss_spikes;
  stability.largest_loss_jump = run.result.largest_loss_jump;
  std::vector<double> norms;
  for (const Metrics& metrics : run.history) {
    if (metrics.step > 0) norms.push_back(metrics.gradient_norm);
  }
  stability.norms = static_cast<int64_t>(norms.size());
  stability.mean_gradient_norm = mean(norms);
  stability.gradient_norm_spread = coefficient_of_variation(norms);
  return stability;
}

}  // namespace phasor
