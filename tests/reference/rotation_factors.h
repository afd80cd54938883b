#pragma once
// magnitude e^(i frequency position), in long double: with its 64 bits the product of a position below 2^31 and an
// fp32 frequency is exact.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

namespace phasor::reference {

static_assert(std::numeric_limits<long double>::digits >= 24 + 31);

inline std::complex<double> rotation_factor(float magnitude, float frequency, int64_t position) {
  const long double angle = static_cast<long double>(frequency) * static_cast<long double>(position);
  const auto m = static_cast<long double>(magnitude);
  return {static_cast<double>(m * std::cos(angle)), static_cast<double>(m * std::sin(angle))};
}

}  // namespace phasor::reference
