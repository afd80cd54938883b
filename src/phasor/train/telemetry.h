#pragma once
// What the heads of a model do while it trains, one line of telemetry.jsonl per measurement: on a fixed batch, without
// dropout, before any update changes the model.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/model/transformer.h"
#include "phasor/task/dataset.h"

namespace phasor {

// Nothing in it depends on the clock: a resumed run writes the same bytes.
struct Telemetry {
  using PerHead = std::vector<std::vector<double>>;  // [layers][heads]

  int64_t step = 0;
  double loss = 0.0;  // of the batch
  // spectrum/model_spectrum.h
  PerHead spectral_norm;
  PerHead stable_rank;
  PerHead relative_r2;
  PerHead positional_share;
  // spectrum/head_seed.h
  PerHead seed;
  PerHead gradient_norm;
  std::vector<double> layer_gradient_norm;  // [layers]
  std::vector<double> margin;               // [layers]
};

std::string to_json_line(const Telemetry& telemetry);
// Throws FormatError that starts with `source`. What is no number (written as null) reads as NaN.
Telemetry parse_telemetry(std::string_view line, std::string_view source);

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
