#include "phasor/base/utf8.h"

namespace phasor {
namespace {

constexpr CodePoint kInvalid{.value = 0xFFFD, .bytes = 1, .valid = false};

constexpr bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

constexpr bool between(char32_t value, char32_t first, char32_t last) { return value >= first && value <= last; }

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80u) return {.value = lead, .bytes = 1};
  size_t bytes = 0;
  char32_t value = 0;
  if ((lead & 0xE0u) == 0xC0u) {
    bytes = 2;
    value = lead & 0x1Fu;
  } else if ((lead & 0xF0u) == 0xE0u) {
    bytes = 3;
    value = lead & 0x0Fu;
  } else if ((lead & 0xF8u) == 0xF0u) {
    bytes = 4;
    value = lead & 0x07u;
  } else {
    return kInvalid;
  }
  if (text.size() < bytes) return kInvalid;
  for (size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return kInvalid;
    value = (value << 6u) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};  // of so many bytes: a longer spelling is none
  if (value < kLeast[bytes] || value > 0x10FFFF || between(value, 0xD800, 0xDFFF)) return kInvalid;
  return {.value = value, .bytes = bytes};
}

bool is_utf8(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(first_code_point(text).bytes)) {
    if (!first_code_point(text).valid) return false;
  }
  return true;
}

size_t count_code_points(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); text.remove_prefix(first_code_point(text).bytes)) ++count;
  return count;
}

bool is_control(char32_t value) {
  return value < 0x20 || between(value, 0x7F, 0x9F) || value == 0x2028 || value == 0x2029 ||
         between(value, 0x202A, 0x202E) || between(value, 0x2066, 0x2069) || value == 0xFEFF;
}

}  // namespace phasor
