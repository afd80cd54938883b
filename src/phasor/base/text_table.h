#pragma once
// A table of texts for terminals and for Markdown.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasor {

enum class TableFormat : uint8_t { terminal, markdown };

inline constexpr size_t kTerminalColumns = 100;

struct TextTable {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows;  // as many cells as titles; the first one is the row's name
};

// Columns are aligned by what a terminal shows (display_width.h); text from the right is kept apart. Terminal lines
// have at most kTerminalColumns columns as long as all columns but the first do: a name that has no room stands above
// its row.
std::string to_text(const TextTable& table, TableFormat format);

// The same text where Markdown would read marks; line ends and other control characters are blanks, in both formats.
std::string shown(std::string_view text, TableFormat format);

}  // namespace phasor
