#pragma once
// The haystack that things are hidden in: one passage of different words, said over and over.
#include <cstdint>

namespace phasor {

// As many as "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again." has words and
// full stops.
inline constexpr int32_t kNoiseWords = 24;

}  // namespace phasor
