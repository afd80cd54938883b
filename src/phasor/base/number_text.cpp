#include "phasor/base/number_text.h"

#include <charconv>
#include <cmath>
#include <iterator>

#include "phasor/base/error.h"

namespace phasor {

std::string print_number(double number) {
  if (!std::isfinite(number)) fail("no text stands for the number {}", number);
  const double size = std::abs(number);
  const bool plain = size == 0.0 || (size >= 1e-4 && size < 1e9);
  char buffer[32];
  const std::to_chars_result end = std::to_chars(std::begin(buffer), std::end(buffer), number,
                                                 plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text(buffer, end.ptr);
  if (plain) return text;
  // The exponent comes as e+16 or e-05; the plus and the zero say nothing.
  const size_t sign = text.find('e') + 1;
  const size_t digits = text.find_first_not_of("+-0", sign);
  return text.substr(0, sign) + (text[sign] == '-' ? "-" : "") + text.substr(digits);
}

}  // namespace phasor
