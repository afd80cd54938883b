#include "phasor/train/schedule.h"

#include <cmath>
#include <numbers>

namespace phasor {

int64_t warmup_steps(const TrainConfig& config) {
  return std::llround(config.warmup * static_cast<double>(config.steps));
}

double learning_rate(const TrainConfig& config, int64_t step) {
  const int64_t warmup = warmup_steps(config);
  if (step <= warmup) return config.learning_rate * static_cast<double>(step) / static_cast<double>(warmup);
  const double done = static_cast<double>(step - warmup) / static_cast<double>(config.steps - warmup + 1);
  return config.learning_rate * 0.5 * (1.0 + std::cos(std::numbers::pi * done));
}

}  // namespace phasor
