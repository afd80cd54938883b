#include "phasor/base/display_width.h"

#include <algorithm>
#include <iterator>

#include "phasor/base/code_point_widths.h"
#include "phasor/base/utf8.h"

namespace phasor {
namespace {

template <size_t N>
bool is_in(char32_t value, const CodeRange (&ranges)[N]) {
  const auto* next = std::upper_bound(std::begin(ranges), std::end(ranges), value,
                                      [](char32_t v, const CodeRange& range) { return v < range.first; });
  return next != std::begin(ranges) && value <= std::prev(next)->last;
}

size_t columns_of(char32_t value) {
  if (value < 0x300) return 1;
  if (is_in(value, kNoColumn)) return 0;
  return is_in(value, kTwoColumns) ? 2 : 1;
}

// Hebrew, Arabic and their neighbours, with their forms of presentation.
bool runs_from_the_right(char32_t value) {
  return (value >= 0x0590 && value <= 0x08FF) || (value >= 0xFB1D && value <= 0xFDFF) ||
         (value >= 0xFE70 && value <= 0xFEFC) || (value >= 0x10800 && value <= 0x10FFF) ||
         (value >= 0x1E800 && value <= 0x1EFFF) || value == 0x200F;
}

constexpr std::string_view kDots = "...";
constexpr std::string_view kFirstStrongIsolate = "\u2068", kPopIsolate = "\u2069";

}  // namespace

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    width += columns_of(next.value);
    text.remove_prefix(next.bytes);
  }
  return width;
}

std::string_view first_columns(std::string_view text, size_t columns) {
  size_t end = 0, width = 0;
  while (end < text.size()) {
    const CodePoint next = first_code_point(text.substr(end));
    width += columns_of(next.value);
    if (width > columns) break;
    end += next.bytes;
  }
  return text.substr(0, end);
}

std::string cut_to(std::string_view text, size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns <= kDots.size()) return std::string(first_columns(text, columns));
  return std::string(first_columns(text, columns - kDots.size())).append(kDots);
}

std::string padded_to(std::string_view text, size_t columns) {
  return std::string(text).append(columns - std::min(columns, display_width(text)), ' ');
}

std::string isolated(std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const CodePoint next = first_code_point(rest);
    if (runs_from_the_right(next.value)) {
      return std::string(kFirstStrongIsolate).append(text).append(kPopIsolate);
    }
    rest.remove_prefix(next.bytes);
  }
  return std::string(text);
}

}  // namespace phasor
