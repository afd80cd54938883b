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
std::string csv_titles(const AnyFields& columns);
std::string csv_line(const void* object, const AnyFields& columns);

template <class T>
std::string csv_titles(const Fields<T>& columns) {
  return csv_titles(columns.any());
}

template <class T>
std::string csv_line(const T& row, const Fields<T>& columns) {
  return csv_line(&row, columns.any());
}

template <class T>
std::string csv_text(const std::vector<T>& rows, const Fields<T>& columns) {
  std::string text = csv_titles(columns) + "\n";
  for (const T& row : rows) text += csv_line(row, columns) + "\n";
  return text;
}

}  // namespace phasor
