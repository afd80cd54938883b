#pragma once
// A CSV file as rows of texts (RFC 4180).
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasor::results {

using CsvRow = std::vector<std::string>;

struct CsvTable {
  std::string name;  // of the file
  std::vector<std::string> titles;
  std::vector<CsvRow> rows;

  bool has(std::string_view column) const { return find(column).has_value(); }
  std::optional<size_t> find(std::string_view column) const;
  // Throws Error that names all columns where there is none.
  size_t column(std::string_view column) const;
  // Empty where the table has no such column.
  std::string text(const CsvRow& row, std::string_view column) const;
  // Nothing where the field is empty or there is none. Throws Error where it is no number.
  std::optional<double> number(const CsvRow& row, std::string_view column) const;
};

// Throws Error that names the line.
CsvTable parse_csv(std::string_view text, std::string name);

}  // namespace phasor::results
