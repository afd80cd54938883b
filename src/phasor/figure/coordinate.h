#pragma once
#include <string>

namespace phasor::figure {

// A length in points with at most two decimals, without zeros at the end and never as -0: finer than any printer.
std::string coordinate(double value);

}  // namespace phasor::figure
