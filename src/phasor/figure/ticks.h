#pragma once
// Round numbers along an axis, and how they are written.
#include <string>
#include <vector>

namespace phasor::figure {

struct Tick {
  double at = 0.0;
  std::string text;    // empty: a short stroke alone
  std::string raised;  // an exponent behind it
};

// At most about `most`, at 1, 2, 2.5 or 5 times a power of ten; whole numbers only where asked for.
std::vector<Tick> linear_ticks(double low, double high, int most, bool whole = false, double factor = 1.0);
// Given places, written with as many digits as they need.
std::vector<Tick> ticks_at(const std::vector<double>& places, double factor = 1.0);
// Powers of ten, with strokes between; where there are fewer than two, 2 and 5 times them as well.
std::vector<Tick> logarithmic_ticks(double low, double high, int most);

}  // namespace phasor::figure
