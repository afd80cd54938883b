#include "phasor/base/csv.h"

#include <fmt/format.h>

#include "phasor/base/error.h"

namespace phasor {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_field(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return csv_field(value.get<std::string>());
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (value.is_structured()) fail("a field of a CSV file holds no list and no object: {}", value.dump());
  return value.dump();
}

std::string csv_titles(const AnyFields& columns) {
  std::string text;
  for (const AnyField& column : columns) {
    if (!text.empty()) text += ',';
    text += csv_field(std::string(column.name));
  }
  return text;
}

std::string csv_line(const void* object, const AnyFields& columns) {
  std::string text;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (c > 0) text += ',';
    text += csv_field(columns[c].write(static_cast<const std::byte*>(object) + columns[c].part));
  }
  return text;
}

}  // namespace phasor
