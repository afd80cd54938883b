#pragma once
// How smoothly a finished run trained, from what it wrote.
#include <cstdint>
#include <optional>
#include <vector>

#include "phasor/run/run_folder.h"

namespace phasor {

struct TrainingStability {
  std::optional<int64_t> loss_spikes;       // loss_spikes.h; none where no step could be judged
  std::optional<double> largest_loss_jump;  // likewise
  int64_t norms = 0;                        // gradient norms in metrics.jsonl, one per evaluation after the start
  double mean_gradient_norm = 0.0;
  std::optional<double> gradient_norm_spread;  // their standard deviation / mean; none of fewer than 2
};

// Throws UsageError where the run is not complete.
TrainingStability training_stability(const RunFolder& folder);

// Standard deviation (n - 1) / mean.
std::optional<double> coefficient_of_variation(const std::vector<double>& values);

}  // namespace phasor
