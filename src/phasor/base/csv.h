#pragma once
// Tables as CSV (RFC 4180), by the same lists of members as JSON (json_fields.h): a column each.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "phasor/base/json_fields.h"

namespace phasor {

// A field in quotes where it needs them.
std::string csv_field(const std::string& text);
// null is empty; doubles have all their digits. Throws Error for lists and objects.
std::string csv_field(const nlohmann::ordered_json& value);

// Without the end of the line.
template <class T>
std::string csv_titles(const Fields<T>& columns) {
  std::string text;
  for (const Field<T>& column : columns) {
    if (!text.empty()) text += ',';
    text += csv_field(std::string(column.name));
  }
  return text;
}

template <class T>
std::string csv_line(const T& row, const Fields<T>& columns) {
  std::string text;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (c > 0) text += ',';
    text += csv_field(columns[c].write(row));
  }
  return text;
}

template <class T>
std::string csv_text(const std::vector<T>& rows, const Fields<T>& columns) {
  std::string text = csv_titles(columns) + "\n";
  for (const T& row : rows) text += csv_line(row, columns) + "\n";
  return text;
}

}  // namespace phasor
