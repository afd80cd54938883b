#include "phasor/paper/strict_json.h"

#include <fmt/format.h>

#include <cmath>

#include "phasor/base/error.h"

namespace phasor::paper {

using Json = nlohmann::ordered_json;

Json parse_strict(std::string_view text, const std::string& source) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw FormatError(fmt::format("{}: {}", source, error.what()));
  }
}

StrictObject::StrictObject(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object_.is_object()) refuse("not an object");
}

const Json& StrictObject::member(const std::string& name) {
  const auto found = object_.find(name);
  if (found == object_.end()) refuse(fmt::format("'{}' is missing", name));
  read_.insert(name);
  return *found;
}

std::string StrictObject::text(const std::string& name) {
  const Json& value = member(name);
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) refuse(fmt::format("'{}' is no text", name));
  return value.get<std::string>();
}

double StrictObject::number(const std::string& name) {
  const Json& value = member(name);
  if (!value.is_number() || !std::isfinite(value.get<double>())) refuse(fmt::format("'{}' is no number", name));
  return value.get<double>();
}

const Json& StrictObject::list(const std::string& name) {
  const Json& value = member(name);
  if (!value.is_array() || value.empty()) refuse(fmt::format("'{}' is no list, or an empty one", name));
  return value;
}

void StrictObject::done() const {
  for (const auto& [name, value] : object_.items()) {
    if (!read_.contains(name)) refuse(fmt::format("there is no member '{}'", name));
  }
}

void StrictObject::refuse(const std::string& what) const { throw FormatError(fmt::format("{}: {}", where_, what)); }

}  // namespace phasor::paper
