#pragma once
// Bytes made smaller, as /FlateDecode reads them.
#include <string>
#include <string_view>

namespace phasor::figure {

bool has_deflate();  // false where Phasor was built without zlib
std::string deflated(std::string_view bytes);

}  // namespace phasor::figure
