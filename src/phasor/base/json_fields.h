#pragma once
// Objects of JSON files by tables of their members: one definition writes them, reads them strictly, and documents
// them.
//
//   const Fields<Habit>& json_fields(const Habit*) {
//     static const Fields<Habit> fields = {field("entropy", &Habit::entropy, "of attention, in nats"), ...};
//     return fields;
//   }
//   Json json = write_fields(habit);
//   Habit again = read_fields<Habit>(json);
//
// A number that is not finite is null in files, as is an optional without a value; null is read as NaN. A member that
// is missing, unknown, of another type or out of range is a FormatError that says where it stands:
// layers[2].effect.top.
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
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

template <class T>
struct Field {
  using Json = nlohmann::ordered_json;

  std::string_view name, type, help;
  std::function<Json(const T&)> write;
  std::function<void(T&, const Json&, const JsonPath&)> read;  // null: it follows from other members
  std::function<bool(const T&)> is_left_out;                   // null: it is always written
  bool may_miss = false;

  // Files of older versions may lack it.
  Field since_later() && {
    may_miss = true;
    return std::move(*this);
  }
};

template <class T>
using Fields = std::vector<Field<T>>;

template <class T>
concept HasJsonFields = requires(const T* value) {
  json_fields(value);
};

template <class T>
nlohmann::ordered_json write_fields(const T& value, const Fields<T>& fields) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Field<T>& field : fields) {
    if (!field.is_left_out || !field.is_left_out(value)) json[std::string(field.name)] = field.write(value);
  }
  return json;
}

template <class T>
void read_fields(T& value, const nlohmann::ordered_json& json, const JsonPath& path, const Fields<T>& fields) {
  if (!json.is_object()) fail_member(path, "is not an object");
  size_t known = 0;
  for (const Field<T>& field : fields) {
    const auto found = json.find(std::string(field.name));
    if (found == json.end()) {
      if (field.may_miss) continue;
      fail_member(JsonPath(path, field.name), "is missing");
    }
    ++known;
    if (field.read) field.read(value, *found, JsonPath(path, field.name));
  }
  if (known == json.size()) return;
  for (const auto& item : json.items()) {
    const std::string& name = item.key();
    bool is_known = false;
    for (const Field<T>& field : fields) is_known = is_known || field.name == name;
    if (!is_known) fail_member(JsonPath(path, name), "is no member of such an object");
  }
}

// --- Values of every type -------------------------------------------------------------------------------------------

template <class T>
struct JsonValue {
  static_assert(HasJsonFields<T>, "a type without json_fields()");
  using Json = nlohmann::ordered_json;
  static constexpr std::string_view kType = "object";
  static Json write(const T& value) { return write_fields(value, json_fields(static_cast<const T*>(nullptr))); }
  static T read(const Json& json, const JsonPath& path) {
    T value{};
    read_fields(value, json, path, json_fields(static_cast<const T*>(nullptr)));
    return value;
  }
};

template <>
struct JsonValue<bool> {
  static constexpr std::string_view kType = "true or false";
  static nlohmann::ordered_json write(bool value) { return value; }
  static bool read(const nlohmann::ordered_json& json, const JsonPath& path) {
    if (!json.is_boolean()) fail_member(path, fmt::format("is {}, not true or false", json.dump()));
    return json.get<bool>();
  }
};

template <std::integral T>
  requires(!std::same_as<T, bool>)
struct JsonValue<T> {
  static constexpr std::string_view kType = "whole number";
  static nlohmann::ordered_json write(T value) { return value; }
  static T read(const nlohmann::ordered_json& json, const JsonPath& path) {
    const bool fits = json.is_number_unsigned() ? std::in_range<T>(json.get<uint64_t>())
                                                : json.is_number_integer() && std::in_range<T>(json.get<int64_t>());
    if (!fits) fail_member(path, fmt::format("is {}, not a {}", json.dump(), kType));
    return json.get<T>();
  }
};

template <>
struct JsonValue<double> {
  static constexpr std::string_view kType = "number";
  static nlohmann::ordered_json write(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
  }
  static double read(const nlohmann::ordered_json& json, const JsonPath& path) {
    if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (!json.is_number()) fail_member(path, fmt::format("is {}, not a number", json.dump()));
    return json.get<double>();
  }
};

template <>
struct JsonValue<std::string> {
  static constexpr std::string_view kType = "text";
  static nlohmann::ordered_json write(const std::string& value) { return value; }
  static std::string read(const nlohmann::ordered_json& json, const JsonPath& path) {
    if (!json.is_string()) fail_member(path, fmt::format("is {}, not a text", json.dump()));
    return json.get<std::string>();
  }
};

// [real, imaginary]
template <>
struct JsonValue<std::complex<double>> {
  static constexpr std::string_view kType = "pair of numbers";
  static nlohmann::ordered_json write(const std::complex<double>& value) {
    return {JsonValue<double>::write(value.real()), JsonValue<double>::write(value.imag())};
  }
  static std::complex<double> read(const nlohmann::ordered_json& json, const JsonPath& path) {
    if (!json.is_array() || json.size() != 2) fail_member(path, fmt::format("is {}, not a {}", json.dump(), kType));
    return {JsonValue<double>::read(json[0], JsonPath(path, size_t{0})),
            JsonValue<double>::read(json[1], JsonPath(path, size_t{1}))};
  }
};

template <class T>
struct JsonValue<std::vector<T>> {
  static constexpr std::string_view kType = "list";
  static nlohmann::ordered_json write(const std::vector<T>& values) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const T& value : values) list.push_back(JsonValue<T>::write(value));
    return list;
  }
  static std::vector<T> read(const nlohmann::ordered_json& json, const JsonPath& path) {
    if (!json.is_array()) fail_member(path, "is not a list");
    std::vector<T> values;
    values.reserve(json.size());
    for (const nlohmann::ordered_json& value : json) {
      values.push_back(JsonValue<T>::read(value, JsonPath(path, values.size())));
    }
    return values;
  }
};

template <class T>
struct JsonValue<std::optional<T>> {
  static constexpr std::string_view kType = JsonValue<T>::kType;
  static nlohmann::ordered_json write(const std::optional<T>& value) {
    return value ? JsonValue<T>::write(*value) : nlohmann::ordered_json(nullptr);
  }
  static std::optional<T> read(const nlohmann::ordered_json& json, const JsonPath& path) {
    if (json.is_null()) return std::nullopt;
    return JsonValue<T>::read(json, path);
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

// --- Members --------------------------------------------------------------------------------------------------------

template <class T, class V>
Field<T> field(std::string_view name, V T::*member, std::string_view help) {
  return {.name = name,
          .type = JsonValue<V>::kType,
          .help = help,
          .write = [member](const T& object) { return JsonValue<V>::write(object.*member); },
          .read = [member](T& object, const nlohmann::ordered_json& json,
                           const JsonPath& path) { object.*member = JsonValue<V>::read(json, path); }};
}

// A number from `least` to `most`; nothing, where it is optional.
template <class T, class V>
Field<T> field_within(std::string_view name, V T::*member, double least, double most, std::string_view help) {
  Field<T> result = field(name, member, help);
  result.read = [member, least, most](T& object, const nlohmann::ordered_json& json, const JsonPath& path) {
    object.*member = JsonValue<V>::read(json, path);
    double value = least;
    if constexpr (requires(V v) { v.has_value(); }) {
      if (object.*member) value = static_cast<double>(*(object.*member));
    } else {
      value = static_cast<double>(object.*member);
    }
    if (value >= least && value <= most) return;
    fail_member(path, std::isinf(most) ? fmt::format("is {}, which is below {}", json.dump(), least)
                                       : fmt::format("is {}, not from {} to {}", json.dump(), least, most));
  };
  return result;
}

template <class T, class V>
Field<T> share_field(std::string_view name, V T::*member, std::string_view help) {
  return field_within(name, member, 0.0, 1.0, help);
}

template <class T, class V>
Field<T> size_field(std::string_view name, V T::*member, std::string_view help) {
  return field_within(name, member, 0.0, std::numeric_limits<double>::infinity(), help);
}

// A number that stands for `otherwise` where the file has null: an end of an interval that bounds nothing.
template <class T>
Field<T> field_or(std::string_view name, double T::*member, double otherwise, std::string_view help) {
  Field<T> result = field(name, member, help);
  result.read = [member, otherwise](T& object, const nlohmann::ordered_json& json, const JsonPath& path) {
    object.*member = json.is_null() ? otherwise : JsonValue<double>::read(json, path);
  };
  return result;
}

// A share that is left out where it has no value.
template <class T>
Field<T> share_if_there(std::string_view name, std::optional<double> T::*member, std::string_view help) {
  Field<T> result = share_field(name, member, help);
  result.is_left_out = [member](const T& object) { return !(object.*member).has_value(); };
  result.may_miss = true;
  return result;
}

// One of a few names: name_of(value) of `values`.
template <class T, class E, class Name>
Field<T> name_field(std::string_view name, E T::*member, std::vector<E> values, const Name& name_of,
                    std::string_view help) {
  return {.name = name,
          .type = "text",
          .help = help,
          .write = [member, name_of](const T& object) -> nlohmann::ordered_json { return name_of(object.*member); },
          .read =
              [member, values = std::move(values), name_of](T& object, const nlohmann::ordered_json& json,
                                                            const JsonPath& path) {
                const std::string text = JsonValue<std::string>::read(json, path);
                for (const E value : values) {
                  if (std::string_view(name_of(value)) != text) continue;
                  object.*member = value;
                  return;
                }
                fail_member(path, fmt::format("is {}, which is none of its names", json.dump()));
              }};
}

// Written for readers of the file; follows from the other members.
template <class T, class Write>
Field<T> derived_field(std::string_view name, std::string_view type, const Write& write, std::string_view help) {
  return {.name = name,
          .type = type,
          .help = help,
          .write = [write](const T& object) -> nlohmann::ordered_json { return write(object); },
          .read = nullptr};
}

// Members of the same object that stand in an object of their own.
template <class T>
Field<T> group_field(std::string_view name, Fields<T> members, std::string_view help) {
  return {.name = name,
          .type = "object",
          .help = help,
          .write = [members](const T& object) { return write_fields(object, members); },
          .read = [members](T& object, const nlohmann::ordered_json& json,
                            const JsonPath& path) { read_fields(object, json, path, members); }};
}

// A Markdown table of the members: name, type, what it is.
template <class T>
std::string fields_table(const Fields<T>& fields) {
  std::string text = "| member | type | what it is |\n|---|---|---|\n";
  for (const Field<T>& field : fields) text += fmt::format("| `{}` | {} | {} |\n", field.name, field.type, field.help);
  return text;
}

}  // namespace phasor
