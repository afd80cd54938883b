#include "phasor/encoding/phase.h"

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

std::vector<double> geometric_frequencies(double base, int64_t channels) {
  std::vector<double> frequencies(static_cast<size_t>(channels / 2));
  for (size_t c = 0; c < frequencies.size(); ++c) {
    frequencies[c] = std::pow(base, -2.0 * static_cast<double>(c) / static_cast<double>(channels));
  }
  return frequencies;
}

}  // namespace phasor
