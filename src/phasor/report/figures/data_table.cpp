#include "phasor/report/figures/data_table.h"

#include <fmt/format.h>

#include <cmath>

#include "phasor/base/csv.h"
#include "phasor/base/error.h"

namespace phasor {

std::string Datum::text() const {
  if (const auto* number = std::get_if<double>(&value_))
    return std::isfinite(*number) ? fmt::format("{}", *number) : "";
  if (const auto* count = std::get_if<int64_t>(&value_)) return std::to_string(*count);
  if (const auto* text = std::get_if<std::string>(&value_)) return csv_field(*text);
  return "";
}

std::string csv_text(const std::vector<FigureColumn>& columns, const DataRows& rows) {
  std::string text;
  for (const FigureColumn& column : columns) {
    text += (text.empty() ? "" : ",") + csv_field(std::string(column.name));
  }
  text += "\n";
  for (const std::vector<Datum>& row : rows) {
    if (row.size() != columns.size()) fail("a row of {} fields in a table of {} columns", row.size(), columns.size());
    for (size_t i = 0; i < row.size(); ++i) text += (i > 0 ? "," : "") + row[i].text();
    text += "\n";
  }
  return text;
}

}  // namespace phasor
