#pragma once
// Queries and keys as features (FeatureMap::softplus), row by row: channel c becomes channels 2 c and 2 c + 1.
#include <cstdint>

namespace phasor {

// to[2 width] = (softplus(x[c]), 0).
void to_features(float* to, const float* x, int64_t width);

// In place: the gradient by features [2 width] becomes that by x [width].
void from_features(float* gradient, const float* x, int64_t width);

}  // namespace phasor
