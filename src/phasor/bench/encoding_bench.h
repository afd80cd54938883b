#pragma once
// What encodings cost: the training step of each beside that of rope, step for step in turn, so that whatever else
// the machine does falls on both.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "phasor/engine/backend.h"
#include "phasor/run/config.h"

namespace phasor {

struct EncodingBenchOptions {
  int64_t warmup = 2;
  int64_t steps = 8;
};

struct EncodingTime {
  std::string encoding;  // canonical
  bool causal = false;   // encodings made for a causal mask are measured with one, as is their rope
  double ms = 0.0;       // median
  double rope_ms = 0.0;
  double ratio = 0.0;  // median over the steps of the ratio to rope's step beside it
  int64_t parameters = 0;
};

// Every entry of the catalogue by its example or its bare name, and the variants that cost differently.
std::vector<std::string> benchmarked_encodings();

// Tokens get coordinates where an encoding asks for them. `report` is called after each.
std::vector<EncodingTime> bench_encodings(Backend& backend, const RunConfig& config,
                                          const std::vector<std::string>& encodings,
                                          const EncodingBenchOptions& options,
                                          const std::function<void(const EncodingTime&)>& report);

}  // namespace phasor
