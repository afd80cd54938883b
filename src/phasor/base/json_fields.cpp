#include "phasor/base/json_fields.h"

namespace phasor {

using Json = nlohmann::ordered_json;

AnyField::AnyField(std::string_view its_name, std::string its_type, std::string_view its_help, Write by,
                   std::vector<MemberRow> rows)
    : name(its_name), type(std::move(its_type)), help(its_help), write(std::move(by)), inner(std::move(rows)) {}
AnyField::AnyField(const AnyField&) = default;
AnyField::AnyField(AnyField&&) noexcept = default;
AnyField& AnyField::operator=(const AnyField&) = default;
AnyField& AnyField::operator=(AnyField&&) noexcept = default;
AnyField::~AnyField() = default;

void AnyField::leave_out_if(Condition condition) {
  constexpr std::string_view kOrNull = " or null";
  if (type.ends_with(kOrNull)) type.resize(type.size() - kOrNull.size());
  is_left_out = std::move(condition);
  may_miss = true;
}

Json write_any_fields(const void* object, const AnyFields& fields) {
  Json json = Json::object();
  for (const AnyField& field : fields) {
    const void* part = static_cast<const std::byte*>(object) + field.part;
    if (!field.is_left_out || !field.is_left_out(part)) json[std::string(field.name)] = field.write(part);
  }
  return json;
}

void read_any_fields(void* object, const Json& json, const JsonPath& path, const AnyFields& fields) {
  if (!json.is_object()) fail_member(path, "is not an object");
  size_t known = 0;
  for (const AnyField& field : fields) {
    const auto found = json.find(std::string(field.name));
    if (found == json.end()) {
      if (field.may_miss) continue;
      fail_member(JsonPath(path, field.name), "is missing");
    }
    ++known;
    if (field.read) field.read(static_cast<std::byte*>(object) + field.part, *found, JsonPath(path, field.name));
  }
  if (known == json.size()) return;
  for (const auto& item : json.items()) {
    const std::string& name = item.key();
    bool is_known = false;
    for (const AnyField& field : fields) is_known = is_known || field.name == name;
    if (!is_known) fail_member(JsonPath(path, name), "is no member of such an object");
  }
}

std::vector<MemberRow> any_field_rows(const AnyFields& fields) {
  std::vector<MemberRow> rows;
  for (const AnyField& field : fields) {
    rows.push_back({std::string(field.name), field.type, std::string(field.help)});
    for (MemberRow& row : prefixed(field.name, field.inner)) rows.push_back(std::move(row));
  }
  return rows;
}

std::string any_fields_table(const AnyFields& fields) {
  std::string text = "| member | type | what it is |\n|---|---|---|\n";
  for (const MemberRow& row : any_field_rows(fields)) {
    text += fmt::format("| `{}` | {} | {} |\n", row.name, row.type, row.help);
  }
  return text;
}

void check_within(double value, double least, double most, const Json& json, const JsonPath& path) {
  if (value >= least && value <= most) return;
  fail_member(path, std::isinf(most) ? fmt::format("is {}, which is below {}", json.dump(), least)
                                     : fmt::format("is {}, not from {} to {}", json.dump(), least, most));
}

AnyField any_field_or(std::string_view name, std::ptrdiff_t place, double otherwise, std::string_view help) {
  AnyField result = value_field<double>(name, place, help);
  result.read = [place, otherwise](void* object, const Json& json, const JsonPath& path) {
    value_at<double>(object, place) = json.is_null() ? otherwise : JsonValue<double>::read(json, path);
  };
  return result;
}

AnyField any_share_if_there(std::string_view name, std::ptrdiff_t place, std::string_view help) {
  AnyField result = value_field_within<std::optional<double>>(name, place, 0.0, 1.0, help);
  result.leave_out_if([place](const void* object) { return !value_at<std::optional<double>>(object, place); });
  return result;
}

void fail_name(const Json& json, const JsonPath& path) {
  fail_member(path, fmt::format("is {}, which is none of its names", json.dump()));
}

AnyField any_group_field(std::string_view name, AnyFields members, std::string_view help) {
  AnyField result(
      name, "object", help, [members](const void* object) { return write_any_fields(object, members); },
      prefixed(".", any_field_rows(members)));
  result.read = [members = std::move(members)](void* object, const Json& json, const JsonPath& path) {
    read_any_fields(object, json, path, members);
  };
  return result;
}

AnyFields any_part_fields(std::ptrdiff_t part, AnyFields fields) {
  for (AnyField& field : fields) field.part += part;
  return fields;
}

}  // namespace phasor
