#pragma once
// Numbers as people write them in encodings and formulas.
#include <string>

namespace phasor {

// The shortest decimal that reads back as the same double; with an exponent from 1e9 and below 1e-4.
// Throws Error for a number that is not finite.
std::string print_number(double number);

}  // namespace phasor
