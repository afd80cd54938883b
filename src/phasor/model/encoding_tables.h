#pragma once
// A resolved encoding in device memory, in the form that the engine's ops read.
#include <vector>

#include "phasor/encoding/resolved.h"
#include "phasor/engine/arena.h"

namespace phasor {

struct LayerTables {
  RotationTable rotation;
  DistanceBias bias;
  View<const float, 1> head_scale;  // empty when every head's factor is 1
};

class EncodingTables {
 public:
  EncodingTables(Backend& backend, const ResolvedEncoding& encoding);

  View<const float, 2> fixed_input() const { return fixed_input_; }
  const LayerTables& layer(int64_t l) const { return layers_[static_cast<size_t>(l)]; }

 private:
  View<const float, 2> upload(Backend& backend, const Table& table);
  RotationTable upload_rotations(Backend& backend, const ResolvedEncoding& encoding, int64_t layer);
  template <class T>
  T* upload_values(Backend& backend, const std::vector<T>& values);

  std::vector<Memory> memory_;
  View<const float, 2> fixed_input_;
  std::vector<LayerTables> layers_;
};

}  // namespace phasor
