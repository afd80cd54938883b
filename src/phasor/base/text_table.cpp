#include "phasor/base/text_table.h"

#include <algorithm>

#include "phasor/base/display_width.h"

namespace phasor {
namespace {

constexpr std::string_view kGap = "  ";
constexpr size_t kNarrowestName = 8;

std::string line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
  std::string text;
  if (display_width(cells[0]) > widths[0]) {
    for (std::string_view name = cells[0]; !name.empty();) {
      const std::string_view part = first_columns(name, kTerminalColumns);
      text.append(isolated(part)).append("\n");
      name.remove_prefix(part.size());
    }
    text += padded_to("", widths[0]);
  } else {
    text += padded_to(isolated(cells[0]), widths[0]);
  }
  for (size_t c = 1; c < cells.size(); ++c) text.append(kGap).append(padded_to(isolated(cells[c]), widths[c]));
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::vector<size_t> column_widths(const std::vector<std::vector<std::string>>& lines) {
  std::vector<size_t> widths(lines[0].size(), 0);
  for (const std::vector<std::string>& cells : lines) {
    for (size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], display_width(cells[c]));
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
    text.append(" ").append(isolated(cell.substr(first))).append(" |");
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
