#pragma once
// How long a sequence may be where attention needs all logits of a head at once.
#include <cstdint>

namespace phasor {

inline constexpr int64_t kMostDenseTokens = 512;

}  // namespace phasor
