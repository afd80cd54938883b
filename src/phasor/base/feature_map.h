#pragma once
// What queries and keys become before they are turned.
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace phasor {

// softplus: channel x becomes the pair (log(1 + e^x), 0), so that there are twice as many channels.
enum class FeatureMap : uint8_t { none, softplus };

// log(1 + e^x).
inline double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

// Channels that come out for one that goes in.
inline constexpr int32_t feature_channels(FeatureMap map) { return map == FeatureMap::none ? 1 : 2; }

}  // namespace phasor
