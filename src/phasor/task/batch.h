#pragma once
// A ragged batch on the host: one flat token array with offsets. Padding does not exist.
#include <cstdint>
#include <vector>

#include "phasor/task/task.h"

namespace phasor {

struct Batch {
  std::vector<int32_t> tokens;        // [tokens]
  std::vector<int32_t> offsets{0};    // [sequences + 1]
  std::vector<int32_t> positions;     // [tokens]: 0, 1, 2 ... within each sequence
  std::vector<int32_t> targets;       // [sequences], or [tokens] for Readout::every
  std::vector<float> target_weights;  // as targets: 1 / (number of scored targets), 0 where not scored
  std::vector<int32_t> places;        // [sequences], for Readout::token

  int64_t token_count() const { return static_cast<int64_t>(tokens.size()); }
  int64_t sequence_count() const { return static_cast<int64_t>(offsets.size()) - 1; }

  void clear();
  void append(const int32_t* sample_tokens, int64_t length, const int32_t* sample_targets, int64_t target_count,
              int32_t place);
  void append(const Sample& sample);
  // Call once after the last append: fills target_weights.
  void finish();
};

}  // namespace phasor
