#pragma once
// The positions that the words of a sequence make: offsets within segments, or the segments' numbers.
#include <cstdint>
#include <span>
#include <vector>

#include "phasor/encoding/resolve/resolved.h"

namespace phasor {

// Of one sequence, on an axis of Kind::offset or Kind::segment that starts from `start`.
std::vector<int32_t> segment_positions(std::span<const int32_t> tokens, const PositionAxis& axis, int32_t start);

}  // namespace phasor
