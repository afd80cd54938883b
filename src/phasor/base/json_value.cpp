#include "phasor/base/json_value.h"

#include <algorithm>

#include "phasor/base/shown_text.h"

namespace phasor {

using Json = nlohmann::ordered_json;

std::string JsonPath::text() const {
  if (parent_ == nullptr) return "it";
  const std::string before = parent_->parent_ == nullptr ? "" : parent_->text();
  if (member_.empty()) return fmt::format("{}[{}]", before, index_);
  return fmt::format("{}{}{}", before, before.empty() ? "" : ".", shown_text(std::string(member_)));
}

void fail_member(const JsonPath& path, std::string_view what) {
  throw FormatError(fmt::format("{} {}", path.text(), what));
}

void fail_type(const JsonPath& path, const Json& json, std::string_view wanted) {
  fail_member(path, fmt::format("is {}, not {}", json.dump(), wanted));
}

std::string list_type(std::string_view element) {
  size_t noun = element.size();
  for (const char* behind : {" of ", " over ", " or "}) noun = std::min(noun, element.find(behind));
  return fmt::format("list of {}s{}", element.substr(0, noun), element.substr(noun));
}

std::vector<MemberRow> prefixed(std::string_view prefix, std::vector<MemberRow> rows) {
  for (MemberRow& row : rows) row.name = fmt::format("{}{}", prefix, row.name);
  return rows;
}

Json JsonValue<bool>::write(bool value) { return value; }
bool JsonValue<bool>::read(const Json& json, const JsonPath& path) {
  if (!json.is_boolean()) fail_type(path, json, "true or false");
  return json.get<bool>();
}

Json JsonValue<double>::write(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
double JsonValue<double>::read(const Json& json, const JsonPath& path) {
  if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!json.is_number()) fail_type(path, json, "a number");
  return json.get<double>();
}

Json JsonValue<std::string>::write(std::string_view value) { return std::string(value); }
std::string JsonValue<std::string>::read(const Json& json, const JsonPath& path) {
  if (!json.is_string()) fail_type(path, json, "a text");
  return json.get<std::string>();
}

Json JsonValue<std::complex<double>>::write(const std::complex<double>& value) {
  return {JsonValue<double>::write(value.real()), JsonValue<double>::write(value.imag())};
}
std::complex<double> JsonValue<std::complex<double>>::read(const Json& json, const JsonPath& path) {
  if (!json.is_array() || json.size() != 2) fail_type(path, json, "a pair of numbers");
  return {JsonValue<double>::read(json[0], JsonPath(path, size_t{0})),
          JsonValue<double>::read(json[1], JsonPath(path, size_t{1}))};
}

}  // namespace phasor
