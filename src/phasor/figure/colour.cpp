#include "phasor/figure/colour.h"

#include <algorithm>
#include <cmath>

#include "phasor/figure/look.h"

namespace phasor::figure {

Colour between(Colour from, Colour to, double share) {
  const auto part = [&](int shift) {
    const auto a = static_cast<double>(from.rgb >> shift & 0xff);
    const auto b = static_cast<double>(to.rgb >> shift & 0xff);
    return static_cast<uint32_t>(std::lround(a + share * (b - a))) << shift;
  };
  return {part(16) | part(8) | part(0)};
}

Colour heat_colour(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(kHeatColours.size() - 1);
  const auto first = std::min(static_cast<size_t>(at), kHeatColours.size() - 2);
  return between(kHeatColours[first], kHeatColours[first + 1], at - static_cast<double>(first));
}

}  // namespace phasor::figure
