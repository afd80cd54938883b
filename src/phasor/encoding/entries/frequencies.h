#pragma once
// The frequencies that sines and rotations use.
#include <cstdint>
#include <vector>

namespace phasor {

// base^(-2 c / channels) for c = 0 .. channels / 2 - 1, in radians per position.
std::vector<double> geometric_frequencies(double base, int64_t channels);

}  // namespace phasor
