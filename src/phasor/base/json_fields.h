#pragma once
// Objects of JSON files by tables of their members: one definition writes them, reads them strictly, and documents
// them.
//
//   const Fields<Habit>& json_fields(const Habit*) {
//     static const Fields<Habit> fields = {field("entropy", &Habit::entropy, "of attention, in nats"), ...};
//     return fields;
//   }
//   Json json = write_json(habit);
//   Habit again = read_json<Habit>(json);
//   std::string markdown = fields_table<Habit>();
//
// A member that is missing or unknown is a FormatError, as is one that its type (json_value.h) refuses.
//
// Members of members stand in the same table, as `layers[].effect.top`. A type that many objects have gets a name,
// std::string_view json_name(const Estimate*), and a table of its own.
#include <functional>
#include <initializer_list>
#include <type_traits>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/base/json_value.h"

namespace phasor {

template <class T>
struct Field {
  using Json = nlohmann::ordered_json;

  std::string_view name;
  std::string type;
  std::string_view help;
  std::function<Json(const T&)> write = nullptr;
  std::function<void(T&, const Json&, const JsonPath&)> read = nullptr;  // null: it follows from other members
  std::function<bool(const T&)> is_left_out = nullptr;                   // null: it is always written
  bool may_miss = false;
  std::vector<MemberRow> inner = {};  // rows of its own members, as JsonValue has them

  // Files of older versions may lack it.
  Field since_later() && {
    may_miss = true;
    return std::move(*this);
  }

  // Objects of which the condition is true do not have it.
  Field left_out_if(std::function<bool(const T&)> condition) && {
    constexpr std::string_view kOrNull = " or null";
    if (type.ends_with(kOrNull)) type.resize(type.size() - kOrNull.size());
    is_left_out = std::move(condition);
    may_miss = true;
    return std::move(*this);
  }
};

template <class T>
concept HasJsonFields = requires(const T* value) {
  json_fields(value);
};

template <class T>
concept HasJsonName = requires(const T* value) {
  json_name(value);
};

template <HasJsonFields T>
const Fields<T>& fields_of() {
  return json_fields(static_cast<const T*>(nullptr));
}

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

// Every member, followed by its own members.
template <class T>
std::vector<MemberRow> field_rows(const Fields<T>& fields) {
  std::vector<MemberRow> rows;
  for (const Field<T>& field : fields) {
    rows.push_back({std::string(field.name), field.type, std::string(field.help)});
    for (MemberRow& row : prefixed(field.name, field.inner)) rows.push_back(std::move(row));
  }
  return rows;
}

template <HasJsonFields T>
struct JsonValue<T> {
  using Json = nlohmann::ordered_json;
  static std::string type() {
    if constexpr (HasJsonName<T>) return std::string(json_name(static_cast<const T*>(nullptr)));
    return "object";
  }
  static std::vector<MemberRow> rows() {
    return HasJsonName<T> ? std::vector<MemberRow>() : prefixed(".", field_rows(fields_of<T>()));
  }
  static Json write(const T& value) { return write_fields(value, fields_of<T>()); }
  static T read(const Json& json, const JsonPath& path) requires std::default_initializable<T> {
    T value{};
    read_fields(value, json, path, fields_of<T>());
    return value;
  }
};

// --- Members --------------------------------------------------------------------------------------------------------

// Written for readers of the file, and not read: it follows from the other members, or nothing reads such objects.
// `of` is a function of the object or one of its methods.
template <class T, class Of>
Field<T> derived_field(std::string_view name, const Of& of, std::string_view help) {
  using Result = std::remove_cvref_t<std::invoke_result_t<const Of&, const T&>>;
  using Value = std::conditional_t<std::is_convertible_v<Result, std::string_view>, std::string, Result>;
  return {.name = name,
          .type = JsonValue<Value>::type(),
          .help = help,
          .write = [of](const T& object) { return JsonValue<Value>::write(std::invoke(of, object)); },
          .read = nullptr,
          .inner = JsonValue<Value>::rows()};
}

// The same for what is JSON already.
template <class T, class Write>
Field<T> json_field(std::string_view name, std::string_view type, const Write& write, std::string_view help) {
  return {.name = name,
          .type = std::string(type),
          .help = help,
          .write = [write](const T& object) -> nlohmann::ordered_json { return write(object); },
          .read = nullptr};
}

template <class T, class V>
Field<T> field(std::string_view name, V T::*member, std::string_view help) {
  Field<T> result = derived_field<T>(name, member, help);
  if constexpr (ReadableJson<V>) {
    result.read = [member](T& object, const nlohmann::ordered_json& json, const JsonPath& path) {
      object.*member = JsonValue<V>::read(json, path);
    };
  }
  return result;
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
  return share_field(name, member, help).left_out_if([member](const T& object) { return !(object.*member); });
}

// One of a few names: name_of(value) of `values`.
template <class T, class E, class Name>
Field<T> name_field(std::string_view name, E T::*member, std::vector<E> values, const Name& name_of,
                    std::string_view help) {
  Field<T> result = derived_field<T>(
      name, [member, name_of](const T& object) { return name_of(object.*member); }, help);
  result.read = [member, values = std::move(values), name_of](T& object, const nlohmann::ordered_json& json,
                                                              const JsonPath& path) {
    const std::string text = JsonValue<std::string>::read(json, path);
    for (const E value : values) {
      if (std::string_view(name_of(value)) != text) continue;
      object.*member = value;
      return;
    }
    fail_member(path, fmt::format("is {}, which is none of its names", json.dump()));
  };
  return result;
}

// Members of the same object that stand in an object of their own.
template <class T>
Field<T> group_field(std::string_view name, Fields<T> members, std::string_view help) {
  return {.name = name,
          .type = "object",
          .help = help,
          .write = [members](const T& object) { return write_fields(object, members); },
          .read = [members](T& object, const nlohmann::ordered_json& json,
                            const JsonPath& path) { read_fields(object, json, path, members); },
          .inner = prefixed(".", field_rows(members))};
}

// A list of objects, each with its number in the list as the first member; the others as `members` has them.
template <class T, class V>
Field<T> numbered_field(std::string_view name, std::vector<V> T::*list, std::string_view number,
                        const Fields<V>& members, std::string_view help) {
  using Json = nlohmann::ordered_json;
  Field<T> result = {.name = name, .type = "list of objects", .help = help};
  result.write = [list, number, members](const T& object) {
    Json json = Json::array();
    for (const V& value : object.*list) {
      Json element = Json::object();
      element[std::string(number)] = json.size();
      element.update(write_fields(value, members));
      json.push_back(std::move(element));
    }
    return json;
  };
  result.read = [list, number, members](T& object, Json json, const JsonPath& path) {
    if (!json.is_array()) fail_member(path, "is not a list");
    for (Json& element : json) {
      const JsonPath here(path, (object.*list).size());
      if (!element.is_object() || element.erase(std::string(number)) == 0) {
        fail_member(here, fmt::format("has no {}", number));
      }
      read_fields((object.*list).emplace_back(), element, here, members);
    }
  };
  result.inner = {{fmt::format("[].{}", number), "whole number", "from 0"}};
  for (MemberRow& row : prefixed("[].", field_rows(members))) result.inner.push_back(std::move(row));
  return result;
}

// --- Tables ---------------------------------------------------------------------------------------------------------

// The members of a part as members of the whole.
template <class T, class P>
Fields<T> part_fields(P T::*part, const Fields<P>& fields) {
  Fields<T> result;
  for (const Field<P>& field : fields) {
    Field<T> member = {.name = field.name, .type = field.type, .help = field.help};
    member.write = [part, write = field.write](const T& object) { return write(object.*part); };
    if (field.read) {
      member.read = [part, read = field.read](T& object, const nlohmann::ordered_json& json, const JsonPath& path) {
        read(object.*part, json, path);
      };
    }
    if (field.is_left_out) {
      member.is_left_out = [part, left_out = field.is_left_out](const T& object) { return left_out(object.*part); };
    }
    member.may_miss = field.may_miss;
    member.inner = field.inner;
    result.push_back(std::move(member));
  }
  return result;
}

template <class T>
Fields<T> joined_fields(std::initializer_list<Fields<T>> tables) {
  Fields<T> fields;
  for (const Fields<T>& table : tables) fields.insert(fields.end(), table.begin(), table.end());
  return fields;
}

// A Markdown table of the members: name, type, what it is.
template <class T>
std::string fields_table(const Fields<T>& fields) {
  std::string text = "| member | type | what it is |\n|---|---|---|\n";
  for (const MemberRow& row : field_rows(fields)) {
    text += fmt::format("| `{}` | {} | {} |\n", row.name, row.type, row.help);
  }
  return text;
}

template <HasJsonFields T>
std::string fields_table() {
  return fields_table(fields_of<T>());
}

}  // namespace phasor
