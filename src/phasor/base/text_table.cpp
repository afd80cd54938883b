#include "phasor/base/text_table.h"

#include <algorithm>

namespace phasor {
namespace {

constexpr std::string_view kGap = "  ";
constexpr size_t kNarrowestName = 8;

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) != 0x80u; }

size_t width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

// Where the first `characters` of UTF-8 text end, in bytes.
size_t end_of(std::string_view text, size_t characters) {
  size_t at = 0;
  for (; at < text.size(); ++at) {
    if (starts_character(text[at]) && characters-- == 0) break;
  }
  return at;
}

std::string padded(const std::string& text, size_t columns) {
  return text + std::string(columns - std::min(columns, width(text)), ' ');
}

std::string line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
  std::string text;
  if (width(cells[0]) > widths[0]) {
    for (std::string_view name = cells[0]; !name.empty();) {
      const size_t end = end_of(name, kTerminalColumns);
      text.append(name.substr(0, end)).append("\n");
      name.remove_prefix(end);
    }
    text += padded("", widths[0]);
  } else {
    text += padded(cells[0], widths[0]);
  }
  for (size_t c = 1; c < cells.size(); ++c) text.append(kGap).append(padded(cells[c], widths[c]));
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::vector<size_t> column_widths(const std::vector<std::vector<std::string>>& lines) {
  std::vector<size_t> widths(lines[0].size(), 0);
  for (const std::vector<std::string>& cells : lines) {
    for (size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], width(cells[c]));
  }
  size_t others = 0;
  for (size_t c = 1; c < widths.size(); ++c) others += kGap.size() + widths[c];
  const size_t room = kTerminalColumns - std::min(kTerminalColumns - kNarrowestName, others);
  widths[0] = std::min(widths[0], room);
  return widths;
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) {
    const size_t first = std::min(cell.find_first_not_of(' '), cell.size());
    text.append(" ").append(cell.substr(first)).append(" |");
  }
  return text + "\n";
}

}  // namespace

std::string shown(std::string_view text, TableFormat format) {
  constexpr std::string_view kMarks = "\\`*_{}[]<>#|~&";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (format == TableFormat::markdown && kMarks.find(c) != std::string_view::npos) result += '\\';
    result += byte < 0x20u || byte == 0x7Fu ? ' ' : c;
  }
  return result;
}

std::string to_text(const TextTable& table, TableFormat format) {
  std::vector<std::vector<std::string>> lines = {table.titles};
  lines.insert(lines.end(), table.rows.begin(), table.rows.end());
  for (std::vector<std::string>& cells : lines) {
    for (std::string& cell : cells) cell = shown(cell, format);
  }
  std::string text;
  if (format == TableFormat::markdown) {
    for (const std::vector<std::string>& cells : lines) {
      text += markdown_line(cells);
      if (&cells == &lines.front()) text += markdown_line(std::vector<std::string>(cells.size(), "---"));
    }
    return text;
  }
  const std::vector<size_t> widths = column_widths(lines);
  for (const std::vector<std::string>& cells : lines) text += line(cells, widths);
  return text;
}

}  // namespace phasor
