#pragma once
// gzip by zlib, where that was found when Phasor was built.
#include <string>
#include <string_view>

namespace phasor {

bool has_gzip();

// The same bytes for the same input: no time, no name. Throws Error without zlib.
std::string gzip(std::string_view bytes);

}  // namespace phasor
