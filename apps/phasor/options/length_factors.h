#pragma once
// --lengths: multiples of the training length.
#include <string>
#include <vector>

namespace phasor::app {

// "1,2,4". Throws UsageError.
std::vector<double> read_length_factors(const std::string& text);

}  // namespace phasor::app
