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

}  // namespace phasor
