#include "phasor/run/config_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "phasor/base/error.h"
#include "phasor/base/seal.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

template <class... Args>
[[noreturn]] void fail_format(fmt::format_string<Args...> text, Args&&... args) {
  throw FormatError(fmt::format(text, std::forward<Args>(args)...));
}

std::string scalar_text(const Json& value, const std::string& key, std::string_view file) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (value.is_number() || value.is_boolean()) return value.dump();
  fail_format("{}: {}: {} is no value; leave the key out for its default", file, key, value.dump());
}

std::string value_text(const Json& value, const std::string& key, std::string_view file) {
  if (!value.is_array()) return scalar_text(value, key, file);
  std::string text;
  for (const Json& element : value) {
    if (!text.empty()) text += ',';
    text += scalar_text(element, key, file);
  }
  return text;
}

void collect(const Json& object, const std::string& prefix, std::string_view file, std::vector<ConfigEntry>& entries) {
  for (const auto& [name, value] : object.items()) {
    std::string key = prefix + name;
    if (key == kSealKey) continue;  // of a run's config.json; a copy of it may have been changed on purpose
    if (value.is_object()) {
      collect(value, key + ".", file, entries);
      continue;
    }
    if (key == "task.name") key = "task";
    if (key == "protocol.name") key = "protocol";
    const auto same = [&](const ConfigEntry& entry) { return entry.key == key; };
    if (std::any_of(entries.begin(), entries.end(), same)) fail_format("{}: '{}' is given twice", file, key);
    entries.push_back({key, value_text(value, key, file)});
  }
}

}  // namespace

// nlohmann-json keeps the last of two equal keys; a person who wrote both deserves to know.
Json read_json(std::string_view text, std::string_view file) {
  std::vector<std::set<std::string>> open;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second) {
      fail_format("{}: '{}' is given twice", file, parsed.get<std::string>());
    }
    return true;
  };
  try {
    return Json::parse(text, watch, true, true);
  } catch (const Json::parse_error& error) {
    const std::string_view reason = error.what();
    const size_t place = reason.find("parse error");  // after the library's own error number
    fail_format("{}: not valid JSON: {}", file, place == std::string_view::npos ? reason : reason.substr(place));
  } catch (const Json::exception& error) {  // a number beyond all numbers
    const std::string_view reason = error.what();
    fail_format("{}: not valid JSON: {}", file, reason.substr(reason.find("] ") + 2));
  }
}

std::vector<ConfigEntry> read_config_entries(std::string_view text, std::string_view file) {
  const Json root = read_json(text, file);
  if (!root.is_object())
    fail_format("{}: the outermost value must be an object of keys, {{\"model.width\": 64}}", file);
  std::vector<ConfigEntry> entries;
  collect(root, "", file, entries);
  return entries;
}

}  // namespace phasor
