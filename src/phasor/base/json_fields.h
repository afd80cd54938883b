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
//
// What a table does is the same for objects of every type, so it is compiled once, for AnyField; Field<T> only sees to
// it that a table gets no members of another type.
#include <bit>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <type_traits>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/base/json_value.h"

namespace phasor {

struct AnyField {
  using Json = nlohmann::ordered_json;
  // The object that has the member, or a part of it.
  using Write = std::function<Json(const void* object)>;
  using Read = std::function<void(void* object, const Json&, const JsonPath&)>;
  using Condition = std::function<bool(const void* object)>;

  AnyField(std::string_view its_name, std::string its_type, std::string_view its_help, Write by,
           std::vector<MemberRow> rows);
  AnyField(const AnyField&);
  AnyField(AnyField&&) noexcept;
  AnyField& operator=(const AnyField&);
  AnyField& operator=(AnyField&&) noexcept;
  ~AnyField();

  std::string_view name;
  std::string type;
  std::string_view help;
  Write write;
  Read read = nullptr;              // null: it follows from other members
  Condition is_left_out = nullptr;  // null: it is always written
  bool may_miss = false;
  std::vector<MemberRow> inner;  // rows of its own members, as JsonValue has them
  std::ptrdiff_t part = 0;       // bytes from the table's object to the part of it that the functions take

  void leave_out_if(Condition condition);
};

using AnyFields = std::vector<AnyField>;

nlohmann::ordered_json write_any_fields(const void* object, const AnyFields& fields);
void read_any_fields(void* object, const nlohmann::ordered_json& json, const JsonPath& path, const AnyFields& fields);
std::vector<MemberRow> any_field_rows(const AnyFields& fields);  // every member, followed by its own members
std::string any_fields_table(const AnyFields& fields);
AnyField any_group_field(std::string_view name, AnyFields members, std::string_view help);
AnyFields any_part_fields(std::ptrdiff_t part, AnyFields fields);

// Bytes from an object to its member: in the C++ ABI of g++ and clang that is what a pointer to a member is.
template <class T, class V>
std::ptrdiff_t place_of(V T::*member) {
  static_assert(std::is_object_v<V> && sizeof(member) == sizeof(std::ptrdiff_t));
  return std::bit_cast<std::ptrdiff_t>(member);
}
template <class V>
const V& value_at(const void* object, std::ptrdiff_t place) {
  return *reinterpret_cast<const V*>(static_cast<const std::byte*>(object) + place);
}
template <class V>
V& value_at(void* object, std::ptrdiff_t place) {
  return *reinterpret_cast<V*>(static_cast<std::byte*>(object) + place);
}

template <class T>
struct Field : AnyField {
  using AnyField::AnyField;
  explicit Field(AnyField field) : AnyField(std::move(field)) {}

  // Files of older versions may lack it.
  Field since_later() && {
    may_miss = true;
    return std::move(*this);
  }

  // Objects of which the condition is true do not have it.
  template <class Is>
  Field left_out_if(const Is& condition) && {
    leave_out_if([condition](const void* object) { return condition(*static_cast<const T*>(object)); });
    return std::move(*this);
  }

  // Written or read in another way: write(object) gives JSON, read(object, json, path) takes it.
  template <class Function>
  Field written_by(const Function& function) && {
    write = [function](const void* object) -> Json { return function(*static_cast<const T*>(object)); };
    return std::move(*this);
  }
  template <class Function>
  Field read_by(const Function& function) && {
    read = [function](void* object, const Json& json, const JsonPath& path) {
      function(*static_cast<T*>(object), json, path);
    };
    return std::move(*this);
  }
};

template <class T>
class Fields {
 public:
  Fields(std::initializer_list<Field<T>> fields) {
    any_.reserve(fields.size());
    for (const AnyField& field : fields) any_.push_back(field);
  }
  explicit Fields(AnyFields fields) : any_(std::move(fields)) {}

  const AnyFields& any() const { return any_; }

 private:
  AnyFields any_;
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
  return write_any_fields(&value, fields.any());
}

template <HasJsonFields T>
struct JsonValue<T> {
  using Json = nlohmann::ordered_json;
  static std::string type() {
    if constexpr (HasJsonName<T>) return std::string(json_name(static_cast<const T*>(nullptr)));
    return "object";
  }
  static std::vector<MemberRow> rows() {
    return HasJsonName<T> ? std::vector<MemberRow>() : prefixed(".", any_field_rows(fields_of<T>().any()));
  }
  static Json write(const T& value) { return write_fields(value, fields_of<T>()); }
  static T read(const Json& json, const JsonPath& path) requires std::default_initializable<T> {
    T value{};
    read_any_fields(&value, json, path, fields_of<T>().any());
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
  return Field<T>(
      name, JsonValue<Value>::type(), help,
      [of](const void* object) { return JsonValue<Value>::write(std::invoke(of, *static_cast<const T*>(object))); },
      JsonValue<Value>::rows());
}

// The same for what is JSON already.
template <class T, class Write>
Field<T> json_field(std::string_view name, std::string_view type, const Write& write, std::string_view help) {
  return Field<T>(
      name, std::string(type), help,
      [write](const void* object) -> nlohmann::ordered_json { return write(*static_cast<const T*>(object)); }, {});
}

// What field() does, once for all objects that have such a value.
template <class V>
AnyField value_field(std::string_view name, std::ptrdiff_t place, std::string_view help) {
  AnyField result(
      name, JsonValue<V>::type(), help,
      [place](const void* object) { return JsonValue<V>::write(value_at<V>(object, place)); }, JsonValue<V>::rows());
  if constexpr (ReadableJson<V>) {
    result.read = [place](void* object, const nlohmann::ordered_json& json, const JsonPath& path) {
      value_at<V>(object, place) = JsonValue<V>::read(json, path);
    };
  }
  return result;
}

template <class T, class V>
Field<T> field(std::string_view name, V T::*member, std::string_view help) {
  return Field<T>(value_field<V>(name, place_of(member), help));
}

void check_within(double value, double least, double most, const nlohmann::ordered_json& json, const JsonPath& path);

template <class V>
AnyField value_field_within(std::string_view name, std::ptrdiff_t place, double least, double most,
                            std::string_view help) {
  AnyField result = value_field<V>(name, place, help);
  result.read = [place, least, most](void* object, const nlohmann::ordered_json& json, const JsonPath& path) {
    V& read = value_at<V>(object, place);
    read = JsonValue<V>::read(json, path);
    double value = least;
    if constexpr (requires(V v) { v.has_value(); }) {
      if (read) value = static_cast<double>(*read);
    } else {
      value = static_cast<double>(read);
    }
    check_within(value, least, most, json, path);
  };
  return result;
}

// A number from `least` to `most`; nothing, where it is optional.
template <class T, class V>
Field<T> field_within(std::string_view name, V T::*member, double least, double most, std::string_view help) {
  return Field<T>(value_field_within<V>(name, place_of(member), least, most, help));
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
AnyField any_field_or(std::string_view name, std::ptrdiff_t place, double otherwise, std::string_view help);
template <class T>
Field<T> field_or(std::string_view name, double T::*member, double otherwise, std::string_view help) {
  return Field<T>(any_field_or(name, place_of(member), otherwise, help));
}

// A share that is left out where it has no value.
AnyField any_share_if_there(std::string_view name, std::ptrdiff_t place, std::string_view help);
template <class T>
Field<T> share_if_there(std::string_view name, std::optional<double> T::*member, std::string_view help) {
  return Field<T>(any_share_if_there(name, place_of(member), help));
}

// One of a few names: name_of(value) of `values`.
[[noreturn]] void fail_name(const nlohmann::ordered_json& json, const JsonPath& path);
template <class T, class E, class Name>
Field<T> name_field(std::string_view name, E T::*member, std::vector<E> values, const Name& name_of,
                    std::string_view help) {
  const std::ptrdiff_t place = place_of(member);
  Field<T> result(name, JsonValue<std::string>::type(), help,
                  [place, name_of](const void* object) {
                    return JsonValue<std::string>::write(std::string_view(name_of(value_at<E>(object, place))));
                  },
                  {});
  result.read = [place, values = std::move(values), name_of](void* object, const nlohmann::ordered_json& json,
                                                             const JsonPath& path) {
    const std::string text = JsonValue<std::string>::read(json, path);
    for (const E value : values) {
      if (std::string_view(name_of(value)) != text) continue;
      value_at<E>(object, place) = value;
      return;
    }
    fail_name(json, path);
  };
  return result;
}

// Members of the same object that stand in an object of their own.
template <class T>
Field<T> group_field(std::string_view name, const Fields<T>& members, std::string_view help) {
  return Field<T>(any_group_field(name, members.any(), help));
}

// A list of objects, each with its number in the list as the first member; the others as `members` has them.
template <class T, class V>
Field<T> numbered_field(std::string_view name, std::vector<V> T::*list, std::string_view number,
                        const Fields<V>& members, std::string_view help) {
  using Json = nlohmann::ordered_json;
  std::vector<MemberRow> inner = {{fmt::format("[].{}", number), "whole number", "from 0"}};
  for (MemberRow& row : prefixed("[].", any_field_rows(members.any()))) inner.push_back(std::move(row));
  const std::ptrdiff_t place = place_of(list);
  Field<T> result(
      name, "list of objects", help,
      [place, number, members](const void* object) {
        Json json = Json::array();
        for (const V& value : value_at<std::vector<V>>(object, place)) {
          Json element = Json::object();
          element[std::string(number)] = json.size();
          element.update(write_fields(value, members));
          json.push_back(std::move(element));
        }
        return json;
      },
      std::move(inner));
  result.read = [place, number, members](void* object, Json json, const JsonPath& path) {
    if (!json.is_array()) fail_member(path, "is not a list");
    auto& values = value_at<std::vector<V>>(object, place);
    for (Json& element : json) {
      const JsonPath here(path, values.size());
      if (!element.is_object() || element.erase(std::string(number)) == 0) {
        fail_member(here, fmt::format("has no {}", number));
      }
      read_any_fields(&values.emplace_back(), element, here, members.any());
    }
  };
  return result;
}

// --- Tables ---------------------------------------------------------------------------------------------------------

// The members of a part as members of the whole.
template <class T, class P>
Fields<T> part_fields(P T::*part, const Fields<P>& fields) {
  return Fields<T>(any_part_fields(place_of(part), fields.any()));
}

template <class T>
Fields<T> joined_fields(std::initializer_list<Fields<T>> tables) {
  AnyFields joined;
  for (const Fields<T>& table : tables) {
    for (const AnyField& field : table.any()) joined.push_back(field);
  }
  return Fields<T>(std::move(joined));
}

// A Markdown table of the members: name, type, what it is.
template <HasJsonFields T>
std::string fields_table() {
  return any_fields_table(fields_of<T>().any());
}

}  // namespace phasor
