#pragma once
// "0.4 s", "41 s", "3 min 20 s", "2 h 5 min"
#include <string>

namespace phasor {

std::string duration_text(double seconds);

}  // namespace phasor
