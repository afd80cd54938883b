#include "phasor/encoding/entries/frequencies.h"

#include <cmath>

namespace phasor {

std::vector<double> geometric_frequencies(double base, int64_t channels) {
  std::vector<double> frequencies(static_cast<size_t>(channels / 2));
  for (size_t c = 0; c < frequencies.size(); ++c) {
    frequencies[c] = std::pow(base, -2.0 * static_cast<double>(c) / static_cast<double>(channels));
  }
  return frequencies;
}

}  // namespace phasor
