#pragma once
// Commands as one would type them.
#include <string>
#include <vector>

namespace phasor {

// "phasor study quick --encodings 'rope(base=500)'": the program's name, and what needs quotes in them.
std::string shell_text(const std::vector<std::string>& words);

}  // namespace phasor
