#pragma once
// A colour as #rrggbb.
#include <cstdint>

namespace phasor::figure {

struct Colour {
  uint32_t rgb = 0;

  constexpr double red() const { return static_cast<double>(rgb >> 16 & 0xff) / 255.0; }
  constexpr double green() const { return static_cast<double>(rgb >> 8 & 0xff) / 255.0; }
  constexpr double blue() const { return static_cast<double>(rgb & 0xff) / 255.0; }
  // As dark as the eye sees it: 0 is black and 1 is white.
  constexpr double lightness() const { return 0.299 * red() + 0.587 * green() + 0.114 * blue(); }

  bool operator==(const Colour&) const = default;
};

// A share of the way from one to the other.
Colour between(Colour from, Colour to, double share);

}  // namespace phasor::figure
