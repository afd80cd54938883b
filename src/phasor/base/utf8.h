#pragma once
// Text as code points: what people name things may hold any of them.
#include <cstddef>
#include <string_view>

namespace phasor {

struct CodePoint {
  char32_t value = 0;  // U+FFFD where the bytes are not UTF-8
  size_t bytes = 0;    // 1 where they are not
  bool valid = true;
};

// The first of a text that is not empty.
CodePoint first_code_point(std::string_view text);

bool is_utf8(std::string_view text);

size_t count_code_points(std::string_view text);

// Line ends, other controls, and marks that turn the direction of what follows: nothing that stands within a line.
bool is_control(char32_t value);

}  // namespace phasor
