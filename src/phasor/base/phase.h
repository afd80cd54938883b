#pragma once
// e^(i angle) for angles that are products of a position and a frequency.
#include <complex>
#include <cstdint>

namespace phasor {

// Exact to double rounding at any position: what the product position * frequency loses to rounding
// (1e-10 radians at position 2^20) is put back.
std::complex<double> phase(int64_t position, double frequency);

}  // namespace phasor
