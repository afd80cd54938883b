#pragma once
// A sample is a list of doubles; everything in this layer is a pure function of samples, options and a seed.
//
// What is wrong with a call (an empty sample, a value that is not finite, lengths that do not match, a level outside
// (0, 1)) throws Error. What merely has no value for the data at hand (the deviation of one value, the correlation with
// a constant) is NaN.
#include <cstdint>
#include <span>
#include <string_view>

namespace phasor::statistics {

using Sample = std::span<const double>;

// From low to high; infinite ends where the data bound nothing.
struct Interval {
  double low = 0.0;
  double high = 0.0;

  bool operator==(const Interval&) const = default;
};

// Throw Error unless the condition holds; `what` names the quantity in the text.
void require_values(Sample sample, std::string_view what);  // at least one value, all finite
void require_paired(Sample x, Sample y, std::string_view what);
void require_level(double level);  // inside (0, 1)

}  // namespace phasor::statistics
