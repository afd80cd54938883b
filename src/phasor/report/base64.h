#pragma once
// Bytes as text (RFC 4648, with padding).
#include <string>
#include <string_view>

namespace phasor {

std::string base64(std::string_view bytes);

}  // namespace phasor
