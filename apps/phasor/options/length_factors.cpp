#include "options/length_factors.h"

#include <algorithm>

#include "phasor/run/config_text.h"
#include "phasor/run/length_evaluation.h"

namespace phasor::app {

std::vector<double> read_length_factors(const std::string& text) {
  std::vector<double> factors;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    factors.push_back(
        read_real("--lengths", text.substr(begin, comma - begin), {.least = 1.0, .most = kMostLengthFactor}));
    begin = comma + 1;
  }
  return factors;
}

}  // namespace phasor::app
