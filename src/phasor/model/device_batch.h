#pragma once
// A batch in device memory. Its arrays are as long as the largest batch; how much of them is used is data. They lie in
// one block, which is filled on the host and copied as a whole.
#include <vector>

#include "phasor/encoding/resolve/resolved.h"
#include "phasor/engine/arena.h"
#include "phasor/task/batch.h"

namespace phasor {

struct Capacity {
  int64_t tokens = 0;
  int64_t sequences = 0;
};

class DeviceBatch {
 public:
  // Tokens have a position on each axis of the encoding.
  DeviceBatch(Arena& arena, const Capacity& capacity, Readout readout, const ResolvedEncoding& encoding);

  // `positions` is [tokens, axes]. Throws Error when the batch is larger than the capacity.
  void upload(Backend& backend, const Batch& batch, const std::vector<int32_t>& positions, uint32_t step);

  const Capacity& capacity() const { return capacity_; }
  Sequences sequences() const;
  Rows token_rows() const { return {.used = counts_.data() + 1, .bound = token_bound_}; }
  Rows target_rows() const;
  int64_t target_capacity() const { return targets_.extent(0); }
  // At least what the last batch has, and few different numbers over a run: a key for Backend::repeat.
  int64_t token_bound() const { return token_bound_; }
  int64_t sequence_bound() const { return sequence_bound_; }

  View<const int32_t, 1> tokens() const { return tokens_; }
  View<const int32_t, 1> targets() const { return targets_; }
  View<const float, 1> target_weights() const { return target_weights_; }
  View<const int32_t, 1> places() const { return places_; }
  const uint32_t* step() const { return step_.data(); }

 private:
  Capacity capacity_;
  Readout readout_;
  int64_t token_bound_, sequence_bound_;
  int64_t longest_;          // that the model takes
  bool running_;             // positions go up by one on every axis
  View<int32_t, 1> block_;   // all that follows
  View<int32_t, 1> counts_;  // sequences, tokens
  View<uint32_t, 1> step_;
  View<int32_t, 1> tokens_, offsets_, targets_, places_;
  View<int32_t, 2> positions_;
  View<float, 1> target_weights_;
  std::vector<int32_t> staging_;  // the block on the host
};

}  // namespace phasor
