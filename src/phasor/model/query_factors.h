#pragma once
// The factors of a layer's queries (RowScale), read back from the tables of an encoding.
#include <cstdint>
#include <vector>

#include "phasor/engine/backend.h"
#include "phasor/engine/ops.h"

namespace phasor {

// [heads, tokens] of a batch with these offsets; empty where there is no row scale.
std::vector<float> query_factors(Backend& backend, const Attention& attention, const std::vector<int32_t>& offsets);

}  // namespace phasor
