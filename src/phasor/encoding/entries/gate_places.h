#pragma once
// What entries with gates have in common: the tensors, how they start, and words for both.
#include "phasor/encoding/resolve/places.h"

namespace phasor {

// "weight" [heads, width] from N(0, 0.02^2) and "bias" [heads] from 0, as the released code of fox and cable has them,
// for each layer of the current term.
void add_gates(EncodingPlaces& places, GateTerm::Map map);

}  // namespace phasor
