#pragma once
// What the heads of a model do while it trains, one line of telemetry.jsonl per measurement: on a fixed batch, without
// dropout, before any update changes the model.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/base/json_fields_fwd.h"

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
  PerHead phase_seed;  // NaN for heads that turn nothing; empty in files of earlier versions
  PerHead gradient_norm;
  std::vector<double> layer_gradient_norm;  // [layers]
  std::vector<double> margin;               // [layers]
};

const Fields<Telemetry>& json_fields(const Telemetry*);
std::string to_json_line(const Telemetry& telemetry);
// Throws FormatError that starts with `source`. What is no number (written as null) reads as NaN.
Telemetry parse_telemetry(std::string_view line, std::string_view source);

}  // namespace phasor
