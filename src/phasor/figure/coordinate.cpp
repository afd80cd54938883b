#include "phasor/figure/coordinate.h"

#include <fmt/format.h>

namespace phasor::figure {

std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace phasor::figure
