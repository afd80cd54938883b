#pragma once
// Rotations whose frequencies are trained, from given ones on.
#include <cstdint>
#include <string_view>
#include <vector>

#include "phasor/encoding/resolve/places.h"

namespace phasor {

// In one layer, for all heads of the term (one start) or for each of them (as many starts): a tensor [numbers], or
// [heads of the term, numbers]. An axis that does not turn a pair at the start does not come to turn it, so numbers
// are those that are not 0. `prototype` says what turns.
void rotate_trained(EncodingPlaces& places, std::string_view name, int64_t layer, const Rotation& prototype,
                    const std::vector<Table>& starts);

}  // namespace phasor
