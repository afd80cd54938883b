#include "results/csv_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "phasor/base/error.h"

namespace phasor::results {

std::optional<size_t> CsvTable::find(std::string_view column) const {
  const auto found = std::find(titles.begin(), titles.end(), column);
  if (found == titles.end()) return std::nullopt;
  return static_cast<size_t>(found - titles.begin());
}

size_t CsvTable::column(std::string_view column) const {
  const std::optional<size_t> found = find(column);
  if (!found) fail("{} has no column '{}'; it has {}", name, column, fmt::join(titles, ", "));
  return *found;
}

std::string CsvTable::text(const CsvRow& row, std::string_view column) const {
  const std::optional<size_t> found = find(column);
  return found ? row[*found] : std::string();
}

std::optional<double> CsvTable::number(const CsvRow& row, std::string_view column) const {
  const std::string field = text(row, column);
  if (field.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(field.c_str(), &end);
  if (*end != '\0') fail("{}: '{}' in column '{}' is no number", name, field, column);
  return value;
}

CsvTable parse_csv(std::string_view text, std::string name) {
  std::vector<CsvRow> lines(1, CsvRow(1));
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    std::string& field = lines.back().back();
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"' && field.empty()) {
      quoted = true;
    } else if (c == ',') {
      lines.back().emplace_back();
    } else if (c == '\n') {
      if (i + 1 < text.size()) lines.emplace_back(1);
    } else if (c != '\r') {
      field += c;
    }
  }
  if (quoted) fail("{}: a quote is never closed", name);
  CsvTable table{.name = std::move(name), .titles = lines.front(), .rows = {lines.begin() + 1, lines.end()}};
  for (size_t r = 0; r < table.rows.size(); ++r) {
    if (table.rows[r].size() != table.titles.size()) {
      fail("{}: line {} has {} fields, and there are {} columns", table.name, r + 2, table.rows[r].size(),
           table.titles.size());
    }
  }
  return table;
}

}  // namespace phasor::results
