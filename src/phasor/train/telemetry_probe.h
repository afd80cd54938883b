#pragma once
// Measures what the heads of a model do while it trains.
#include <cstdint>

#include "phasor/model/transformer.h"
#include "phasor/run/telemetry.h"
#include "phasor/task/dataset.h"

namespace phasor {

// Whether a step of a run is measured: before the first, every so many, and after the last.
bool is_measured(int64_t step, int64_t every, int64_t steps);

class TelemetryProbe {
 public:
  static constexpr int64_t kSequences = 16;

  // The first kSequences of the set, or as many as there are and as fit into a batch of the model.
  TelemetryProbe(const Dataset& data, int64_t largest_batch);
  // The model must have been made for training; its gradients() and activations() are overwritten.
  Telemetry measure(Transformer& model, int64_t step) const;

 private:
  Batch batch_;
};

}  // namespace phasor
