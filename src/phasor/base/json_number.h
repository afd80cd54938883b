#pragma once
// JSON has neither infinities nor NaN: what is not bounded, not defined or not there is null.
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace phasor {

inline nlohmann::ordered_json json_number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

template <class Value>
nlohmann::ordered_json json_number(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json json_number(const std::optional<double>& value) {
  return value ? json_number(*value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json json_numbers(const std::vector<double>& values) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const double value : values) list.push_back(json_number(value));
  return list;
}

inline nlohmann::ordered_json json_numbers(const std::vector<std::vector<double>>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::vector<double>& row : rows) list.push_back(json_numbers(row));
  return list;
}

}  // namespace phasor
