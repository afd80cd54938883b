#include "terminal/terminal.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace phasor::app {
namespace {

bool is_control(unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f; }

// U+0080 to U+009F, which some terminals obey too, as two bytes of UTF-8.
bool is_second_control(std::string_view text, size_t i) {
  return text[i] == '\xc2' && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
}

// The bytes of the character of UTF-8 that begins here; 0 where none does: such a byte may be a control of its own.
size_t character_bytes(std::string_view text, size_t i) {
  const auto first = static_cast<unsigned char>(text[i]);
  const size_t bytes = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (bytes == 0 || i + bytes > text.size()) return 0;
  for (size_t k = 1; k < bytes; ++k) {
    if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return 0;
  }
  return bytes;
}

}  // namespace

std::string safe_text(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_second_control(text, i)) {
      safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));
    } else if (const size_t bytes = character_bytes(text, i);
               bytes == 0 || is_control(static_cast<unsigned char>(text[i]))) {
      safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    } else {
      safe += text.substr(i, bytes);
      i += bytes - 1;
    }
  }
  return safe;
}

void write_out(std::string_view text) {
  const std::string safe = safe_text(text);
  if (std::fwrite(safe.data(), 1, safe.size(), stdout) < safe.size()) {
    throw std::system_error(errno, std::generic_category(), "cannot write the output");
  }
}

void say(std::string_view text) { draw(safe_text(text)); }

void draw(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace phasor::app
