#pragma once
// Do gradients and learning follow the spectrum of the logits while one model trains? From its telemetry: rank
// correlations of changes from one measurement to the next, so that trends which both have over training do not count.
#include <cstdint>
#include <optional>
#include <vector>

#include "phasor/run/telemetry.h"

namespace phasor {

struct TrainingSpectra {
  double gradient = 0.0;  // of changes of log sigma_1 (mean over heads) ~ changes of the log norm of layers' gradients
  double speed = 0.0;     // of changes of log sigma_1 ~ fall of the loss in the same time
  int64_t changes = 0;
};

// None with fewer than eight changes, where something is not finite, or where one of the two does not vary.
std::optional<TrainingSpectra> training_spectra(const std::vector<Telemetry>& measurements);

}  // namespace phasor
