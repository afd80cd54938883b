#pragma once
// Text as it will stand on paper: in Helvetica, with Greek and signs of mathematics in Symbol.
//
// Every reader of PDF has these two, and every SVG viewer has something as wide. What neither has (Hebrew, Chinese) is
// kept in SVG, whose reader may have a font for it; in PDF it cannot be set.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasor::figure {

// Characters of UTF-8; U+FFFD for every byte that is none, and for control characters.
std::u32string characters(std::string_view text);
std::string utf8(std::u32string_view characters);

enum class Font : uint8_t { helvetica, bold, symbol };

struct Glyph {
  Font font = Font::helvetica;
  uint8_t code = 0;      // 0: none has it
  double width = 600.0;  // in thousandths of the size
};
Glyph glyph(char32_t character, bool bold);

double text_width(std::string_view text, double size, bool bold = false);
// All characters have a glyph, so that the width is more than a guess.
bool is_settable(std::string_view text);

// Lines at most `width` wide, broken at blanks and after signs where possible, and at most `most` of them: the last one
// then ends in an ellipsis. At least one line.
std::vector<std::string> folded(std::string_view text, double width, double size, bool bold = false, size_t most = 3);

}  // namespace phasor::figure
