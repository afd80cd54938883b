#pragma once
// The streams of this layer. Draw number `draw` is a function of the seed, what is drawn, and the number.
#include <cstdint>

#include "phasor/random/stream.h"

namespace phasor::statistics {

enum class Drawn : uint32_t { rows = 1, hierarchy = 2, splits = 3, signs = 4, orders = 5 };

inline RandomStream resampling_stream(uint64_t seed, Drawn drawn, int64_t draw) {
  return {.seed = seed,
          .purpose = Purpose::statistics,
          .site = static_cast<uint32_t>(drawn),
          .step = static_cast<uint32_t>(draw)};
}

}  // namespace phasor::statistics
