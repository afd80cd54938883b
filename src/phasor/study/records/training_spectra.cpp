#include "phasor/study/records/training_spectra.h"

#include <cmath>

#include "phasor/statistics/correlation.h"

namespace phasor {
namespace {

constexpr int64_t kLeastChanges = 8;

double mean_over_heads(const Telemetry::PerHead& numbers) {
  double sum = 0.0, count = 0.0;
  for (const std::vector<double>& layer : numbers) {
    for (const double number : layer) {
      sum += number;
      count += 1.0;
    }
  }
  return sum / count;
}

double norm_of(const std::vector<double>& numbers) {
  double squares = 0.0;
  for (const double number : numbers) squares += number * number;
  return std::sqrt(squares);
}

}  // namespace

std::optional<TrainingSpectra> training_spectra(const std::vector<Telemetry>& measurements) {
  std::vector<double> norms, gradients, falls;
  for (size_t i = 1; i < measurements.size(); ++i) {
    const Telemetry &before = measurements[i - 1], &after = measurements[i];
    norms.push_back(std::log(mean_over_heads(after.spectral_norm) / mean_over_heads(before.spectral_norm)));
    gradients.push_back(std::log(norm_of(after.layer_gradient_norm) / norm_of(before.layer_gradient_norm)));
    falls.push_back(before.loss - after.loss);
    for (const double change : {norms.back(), gradients.back(), falls.back()}) {
      if (!std::isfinite(change)) return std::nullopt;
    }
  }
  if (std::ssize(norms) < kLeastChanges) return std::nullopt;
  constexpr auto kKind = statistics::CorrelationKind::spearman;
  const TrainingSpectra found{.gradient = statistics::correlation(kKind, norms, gradients),
                              .speed = statistics::correlation(kKind, norms, falls),
                              .changes = std::ssize(norms)};
  if (!std::isfinite(found.gradient) || !std::isfinite(found.speed)) return std::nullopt;
  return found;
}

}  // namespace phasor
