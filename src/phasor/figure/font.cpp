#include "phasor/figure/font.h"

#include <algorithm>

#include "phasor/figure/font_widths.h"

namespace phasor::figure {
namespace {

constexpr char32_t kUnknown = 0xfffd;
constexpr char32_t kEllipsis = 0x2026;

// Of the character that starts at text[at], or 0 where none does.
size_t sequence_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(at);
  const size_t length = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length == 0 || (first >= 0x80 && first < 0xc2) || at + length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

char32_t character_at(std::string_view text, size_t at, size_t length) {
  constexpr uint8_t kMasks[] = {0x7f, 0x1f, 0x0f, 0x07};
  char32_t character = static_cast<uint8_t>(text[at]) & kMasks[length - 1];
  for (size_t i = 1; i < length; ++i) character = character << 6 | (static_cast<uint8_t>(text[at + i]) & 0x3f);
  constexpr char32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = character >= 0xd800 && character < 0xe000;
  const bool control = character < 0x20 || (character >= 0x7f && character < 0xa0);
  const bool no_character = character == 0xfffe || character == 0xffff || character > 0x10ffff;
  return character < kLeast[length - 1] || surrogate || control || no_character ? kUnknown : character;
}

// A character that fills a square, as those of Chinese do.
bool is_wide(char32_t character) {
  return (character >= 0x1100 && character < 0x1200) || (character >= 0x2e80 && character < 0xd7b0) ||
         (character >= 0xf900 && character < 0xfb00) || (character >= 0xff00 && character < 0xff61) ||
         character >= 0x1f000;
}

bool may_break_after(char32_t character) {
  return std::u32string_view(U" ,;:+*/|=_)-").find(character) != std::u32string_view::npos;
}

double width_of(std::u32string_view text, double size, bool bold) {
  double width = 0.0;
  for (const char32_t character : text) width += glyph(character, bold).width;
  return width * size / 1000.0;
}

std::u32string_view without_blanks(std::u32string_view text) {
  while (!text.empty() && text.front() == U' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == U' ') text.remove_suffix(1);
  return text;
}

// How many characters go into the line: at least one.
size_t line_length(std::u32string_view text, double width, double size, bool bold) {
  size_t fits = 0;
  size_t breaks = 0;
  while (fits < text.size() && width_of(text.substr(0, fits + 1), size, bold) <= width) {
    ++fits;
    if (may_break_after(text[fits - 1])) breaks = fits;
  }
  if (fits == text.size()) return fits;
  // A line that is half empty is worse than a broken word.
  if (breaks > 0 && 2 * breaks >= fits) return breaks;
  return std::max<size_t>(fits, 1);
}

}  // namespace

std::u32string characters(std::string_view text) {
  std::u32string result;
  for (size_t at = 0; at < text.size();) {
    const size_t length = sequence_length(text, at);
    result += length == 0 ? kUnknown : character_at(text, at, length);
    at += std::max<size_t>(length, 1);
  }
  return result;
}

std::string utf8(std::u32string_view characters) {
  std::string text;
  for (const char32_t c : characters) {
    if (c < 0x80) {
      text += static_cast<char>(c);
      continue;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    constexpr uint8_t kHeads[] = {0, 0xc0, 0xe0, 0xf0};
    text += static_cast<char>(kHeads[more] | c >> (6 * more));
    for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | (c >> (6 * i) & 0x3f));
  }
  return text;
}

Glyph glyph(char32_t character, bool bold) {
  const auto& widths = bold ? kHelveticaBoldWidths : kHelveticaWidths;
  const Font font = bold ? Font::bold : Font::helvetica;
  const auto of_code = [&](uint8_t code) {
    return Glyph{.font = font, .code = code, .width = static_cast<double>(widths[code - 32U])};
  };
  if ((character >= 0x20 && character < 0x7f) || (character >= 0xa0 && character <= 0xff)) {
    return of_code(static_cast<uint8_t>(character));
  }
  const auto high = std::lower_bound(kWinAnsiHigh.begin(), kWinAnsiHigh.end(), character,
                                     [](const WinAnsiCode& it, char32_t sought) { return it.character < sought; });
  if (high != kWinAnsiHigh.end() && high->character == character) return of_code(high->code);
  const auto symbol = std::lower_bound(kSymbolGlyphs.begin(), kSymbolGlyphs.end(), character,
                                       [](const SymbolGlyph& it, char32_t sought) { return it.character < sought; });
  if (symbol != kSymbolGlyphs.end() && symbol->character == character) {
    return {.font = Font::symbol, .code = symbol->code, .width = static_cast<double>(symbol->width)};
  }
  return {.font = font, .width = is_wide(character) ? 1000.0 : 600.0};
}

double text_width(std::string_view text, double size, bool bold) { return width_of(characters(text), size, bold); }

bool is_settable(std::string_view text) {
  const std::u32string all = characters(text);
  return std::all_of(all.begin(), all.end(), [](char32_t character) { return glyph(character, false).code != 0; });
}

std::vector<std::string> folded(std::string_view text, double width, double size, bool bold, size_t most) {
  const std::u32string all = characters(text);
  std::u32string_view rest = without_blanks(all);
  std::vector<std::string> lines;
  while (lines.size() < most && !rest.empty()) {
    const size_t length = line_length(rest, width, size, bold);
    if (lines.size() + 1 == most && length < rest.size()) {
      size_t kept = length;
      const auto cut = [&] { return std::u32string(without_blanks(rest.substr(0, kept))) + kEllipsis; };
      while (kept > 1 && width_of(cut(), size, bold) > width) --kept;
      lines.push_back(utf8(cut()));
      return lines;
    }
    lines.push_back(utf8(without_blanks(rest.substr(0, length))));
    rest = without_blanks(rest.substr(length));
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

}  // namespace phasor::figure
