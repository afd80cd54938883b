#pragma once
// Text that people gave, as an error message may show it.
#include <string>
#include <string_view>

namespace phasor {

// Bytes that are not printable ASCII are '?', and a long text is cut short.
std::string shown_text(std::string_view text);

}  // namespace phasor
