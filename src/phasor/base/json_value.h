#pragma once
// Values of every type as JSON: written, read strictly, and named for a document.
//
// A number that is not finite is null in files, as is an optional without a value; null is read as NaN. A value of
// another type or out of range is a FormatError that says where it stands: layers[2].effect.top.
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "phasor/base/error.h"

namespace phasor {

// Where a value stands, for errors. Lives no longer than the one it was made from.
class JsonPath {
 public:
  JsonPath() = default;
  JsonPath(const JsonPath& parent, std::string_view member) : parent_(&parent), member_(member) {}
  JsonPath(const JsonPath& parent, size_t index) : parent_(&parent), index_(index) {}

  std::string text() const;  // "layers[2].effect.top"; "it" at the top

 private:
  const JsonPath* parent_ = nullptr;
  std::string_view member_;
  size_t index_ = 0;
};

// Throws FormatError: "layers[2].effect.top is missing".
[[noreturn]] void fail_member(const JsonPath& path, std::string_view what);
// "layers[2].effect.top is 3, not a text"
[[noreturn]] void fail_type(const JsonPath& path, const nlohmann::ordered_json& json, std::string_view wanted);

// A row of a table of members, for docs/formats.md.
struct MemberRow {
  std::string name, type, help;
};

// "list of whole numbers" for "whole number"
std::string list_type(std::string_view element);

// The rows with `prefix` before every name.
std::vector<MemberRow> prefixed(std::string_view prefix, std::vector<MemberRow> rows);

// Has, for every type that files hold:
//   static std::string type();              for documents: "number"
//   static std::vector<MemberRow> rows();   members of the object, ".top", or of the list's objects, "[].top"
//   static Json write(const T& value);
//   static T read(const Json& json, const JsonPath& path);
// Of types with tables of members (json_fields.h) it is defined there.
template <class T>
struct JsonValue;

template <class T>
concept ReadableJson = requires(const nlohmann::ordered_json& json, const JsonPath& path) {
  JsonValue<T>::read(json, path);
};

struct PlainJsonValue {
  using Json = nlohmann::ordered_json;
  static std::vector<MemberRow> rows() { return {}; }
};

template <>
struct JsonValue<bool> : PlainJsonValue {
  static std::string type() { return "true or false"; }
  static Json write(bool value);
  static bool read(const Json& json, const JsonPath& path);
};

template <std::integral T>
  requires(!std::same_as<T, bool>)
struct JsonValue<T> : PlainJsonValue {
  static std::string type() { return "whole number"; }
  static Json write(T value) { return value; }
  static T read(const Json& json, const JsonPath& path) {
    const bool fits = json.is_number_unsigned() ? std::in_range<T>(json.get<uint64_t>())
                                                : json.is_number_integer() && std::in_range<T>(json.get<int64_t>());
    if (!fits) fail_type(path, json, "a whole number");
    return json.get<T>();
  }
};

template <>
struct JsonValue<double> : PlainJsonValue {
  static std::string type() { return "number"; }
  static Json write(double value);
  static double read(const Json& json, const JsonPath& path);
};

template <>
struct JsonValue<std::string> : PlainJsonValue {
  static std::string type() { return "text"; }
  static Json write(std::string_view value);
  static std::string read(const Json& json, const JsonPath& path);
};

// [real, imaginary]
template <>
struct JsonValue<std::complex<double>> : PlainJsonValue {
  static std::string type() { return "pair of numbers"; }
  static Json write(const std::complex<double>& value);
  static std::complex<double> read(const Json& json, const JsonPath& path);
};

template <class T>
struct JsonValue<std::vector<T>> {
  using Json = nlohmann::ordered_json;
  static std::string type() { return list_type(JsonValue<T>::type()); }
  static std::vector<MemberRow> rows() { return prefixed("[]", JsonValue<T>::rows()); }
  static Json write(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values) list.push_back(JsonValue<T>::write(value));
    return list;
  }
  static std::vector<T> read(const Json& json, const JsonPath& path) requires ReadableJson<T> {
    if (!json.is_array()) fail_member(path, "is not a list");
    std::vector<T> values;
    values.reserve(json.size());
    for (const Json& value : json) values.push_back(JsonValue<T>::read(value, JsonPath(path, values.size())));
    return values;
  }
};

// An object whose members have names of their own.
template <class T>
struct JsonValue<std::map<std::string, T>> {
  using Json = nlohmann::ordered_json;
  static std::string type() { return "object"; }
  static std::vector<MemberRow> rows() { return prefixed(".NAME", JsonValue<T>::rows()); }
  static Json write(const std::map<std::string, T>& values) {
    Json json = Json::object();
    for (const auto& [name, value] : values) json[name] = JsonValue<T>::write(value);
    return json;
  }
  static std::map<std::string, T> read(const Json& json, const JsonPath& path) requires ReadableJson<T> {
    if (!json.is_object()) fail_member(path, "is not an object");
    std::map<std::string, T> values;
    for (const auto& item : json.items()) {
      values[item.key()] = JsonValue<T>::read(item.value(), JsonPath(path, item.key()));
    }
    return values;
  }
};

template <class T>
struct JsonValue<std::optional<T>> {
  using Json = nlohmann::ordered_json;
  static std::string type() { return JsonValue<T>::type() + " or null"; }
  static std::vector<MemberRow> rows() { return JsonValue<T>::rows(); }
  static Json write(const std::optional<T>& value) { return value ? JsonValue<T>::write(*value) : Json(nullptr); }
  static std::optional<T> read(const Json& json, const JsonPath& path) requires ReadableJson<T> {
    if (json.is_null()) return std::nullopt;
    return JsonValue<T>::read(json, path);
  }
};

// What may not be there, and is not read.
template <class T>
struct JsonValue<std::shared_ptr<const T>> {
  using Json = nlohmann::ordered_json;
  static std::string type() { return JsonValue<T>::type() + " or null"; }
  static std::vector<MemberRow> rows() { return JsonValue<T>::rows(); }
  static Json write(const std::shared_ptr<const T>& value) {
    return value != nullptr ? JsonValue<T>::write(*value) : Json(nullptr);
  }
};

template <class T>
nlohmann::ordered_json write_json(const T& value) {
  return JsonValue<T>::write(value);
}

template <class T>
T read_json(const nlohmann::ordered_json& json, const JsonPath& path = {}) {
  return JsonValue<T>::read(json, path);
}

}  // namespace phasor
