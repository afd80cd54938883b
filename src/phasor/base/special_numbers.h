#pragma once
// What a number is where there is none, and where there is no end.
#include <limits>

namespace phasor {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace phasor
