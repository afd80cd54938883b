#include "phasor/report/base64.h"

#include <algorithm>
#include <cstdint>

namespace phasor {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t b = 0; b < 3; ++b) group = group << 8 | (b < count ? static_cast<unsigned char>(bytes[i + b]) : 0u);
    for (size_t digit = 0; digit < 4; ++digit) {
      text += digit <= count ? kDigits[group >> (18 - 6 * digit) & 63u] : '=';
    }
  }
  return text;
}

}  // namespace phasor
