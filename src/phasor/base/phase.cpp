#include "phasor/base/phase.h"

#include <cmath>

namespace phasor {

std::complex<double> phase(int64_t position, double frequency) {
  const double p = static_cast<double>(position);
  const double angle = p * frequency;
  const double lost = std::fma(p, frequency, -angle);
  // First order in `lost`, whose square is below double rounding.
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  return {cosine - lost * sine, sine + lost * cosine};
}

}  // namespace phasor
