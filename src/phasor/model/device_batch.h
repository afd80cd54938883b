#pragma once
// A batch in device memory. Its arrays are as long as the largest batch; how much of them is used is data.
#include "phasor/engine/arena.h"
#include "phasor/task/batch.h"

namespace phasor {

struct Capacity {
  int64_t tokens = 0;
  int64_t sequences = 0;
};

class DeviceBatch {
 public:
  // Tokens have `axes` positions each.
  DeviceBatch(Arena& arena, const Capacity& capacity, Readout readout, int64_t axes);

  // `positions` is [tokens, axes]. Throws Error when the batch is larger than the capacity.
  void upload(Backend& backend, const Batch& batch, const std::vector<int32_t>& positions);

  const Capacity& capacity() const { return capacity_; }
  Sequences sequences() const;
  Rows token_rows() const { return {counts_.data() + 1}; }
  Rows target_rows() const { return {counts_.data() + (readout_ == Readout::every ? 1 : 0)}; }
  int64_t target_capacity() const { return targets_.extent(0); }

  View<const int32_t, 1> tokens() const { return tokens_; }
  View<const int32_t, 1> targets() const { return targets_; }
  View<const float, 1> target_weights() const { return target_weights_; }
  View<const int32_t, 1> places() const { return places_; }

 private:
  Capacity capacity_;
  Readout readout_;
  View<int32_t, 1> counts_;  // sequences, tokens
  View<int32_t, 1> tokens_, offsets_, targets_, places_;
  View<int32_t, 2> positions_;
  View<float, 1> target_weights_;
};

}  // namespace phasor
