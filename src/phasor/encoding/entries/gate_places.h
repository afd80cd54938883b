#pragma once
// What entries that read the hidden state have in common: their tensors, and how these start.
#include "phasor/encoding/resolve/places.h"

namespace phasor {

// "weight" [heads, width] from N(0, 0.02^2) and "bias" [heads] from 0, as the released code of fox and cable has them,
// for each layer of the current term.
void add_gates(EncodingPlaces& places, GateTerm::Map map);

// A tensor of the layer, even within 1 / sqrt(columns) of 0 at the start, or constant. Returns its place in
// ResolvedEncoding::parameters.
int64_t add_uniform(EncodingPlaces& places, std::string_view name, const std::vector<int64_t>& shape, int64_t layer);
int64_t add_constant(EncodingPlaces& places, std::string_view name, const std::vector<int64_t>& shape, double value,
                     int64_t layer);

}  // namespace phasor
