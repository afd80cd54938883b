#include "phasor/encoding/encoding_list.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "phasor/base/wrapped_text.h"
#include "phasor/encoding/family.h"
#include "phasor/encoding/syntax/parameter_text.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kListWidth = 100;
constexpr size_t kName = 14;       // columns for an entry's name, with the margin
constexpr size_t kParameter = 30;  // and for a parameter with its default

const char* kind_name(EncodingParameter::Kind kind) {
  switch (kind) {
    case EncodingParameter::Kind::number:
      return "number";
    case EncodingParameter::Kind::integer:
      return "integer";
    case EncodingParameter::Kind::word:
      return "word";
    case EncodingParameter::Kind::learnable:
      return "learnable";
    case EncodingParameter::Kind::formula:
      return "formula";
    case EncodingParameter::Kind::numbers:
      return "numbers";
    case EncodingParameter::Kind::encoding:
      return "encoding";
  }
  return "";
}

Json default_json(const EncodingParameter& parameter) {
  if (parameter.required) return nullptr;
  if (const double* number = std::get_if<double>(&parameter.default_value.content)) return *number;
  if (const auto* quoted = std::get_if<QuotedText>(&parameter.default_value.content)) return quoted->text;
  return default_text(parameter);
}

std::string parameter_line(const EncodingParameter& parameter) {
  const std::string assignment = fmt::format("{}={}", parameter.name, default_text(parameter));
  const std::string help = fmt::format("{} ({})", parameter.help, accepted_text(parameter));
  // A long default has a line to itself.
  const bool fits = assignment.size() + 4 < kParameter;
  return fmt::format("    {:<{}}{}{}\n", assignment, kParameter - 4, fits ? "" : fmt::format("\n{:{}}", "", kParameter),
                     wrapped(help, kListWidth, kParameter));
}

}  // namespace

std::string encoding_list(bool parameters) {
  std::map<EncodingFamily, std::string> families;
  for (const EncodingEntry& entry : encoding_catalogue()) {
    std::string& text = families[family_of(entry)];
    text += fmt::format("  {:<{}}{}\n", entry.name, kName - 2, wrapped(entry.summary, kListWidth, kName));
    if (!parameters) continue;
    for (const EncodingParameter& parameter : entry.parameters) text += parameter_line(parameter);
  }
  std::string text;
  for (const auto& [family, lines] : families) {
    text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", family_title(family), lines);
  }
  return text;
}

Json parameter_json(const EncodingParameter& parameter) {
  Json json = {{"name", parameter.name},
               {"kind", kind_name(parameter.kind)},
               {"help", parameter.help},
               {"required", parameter.required},
               {"default", default_json(parameter)}};
  const bool numbers =
      parameter.kind == EncodingParameter::Kind::number || parameter.kind == EncodingParameter::Kind::integer ||
      parameter.kind == EncodingParameter::Kind::learnable || parameter.kind == EncodingParameter::Kind::numbers;
  if (numbers) {
    json["least"] = parameter.least;
    json["most"] = parameter.most;
  }
  if (!parameter.choices.empty()) json["choices"] = parameter.choices;
  return json;
}

Json encoding_list_json() {
  Json list = Json::array();
  for (const EncodingEntry& entry : encoding_catalogue()) {
    Json parameters = Json::array();
    for (const EncodingParameter& parameter : entry.parameters) parameters.push_back(parameter_json(parameter));
    list.push_back({{"name", entry.name},
                    {"family", family_name(family_of(entry))},
                    {"summary", entry.summary},
                    {"formula", entry.formula},
                    {"paper", entry.paper},
                    {"year", entry.year},
                    {"example", shown_expression(entry)},
                    {"parameters", parameters},
                    {"notes", entry.notes}});
  }
  return list;
}

}  // namespace phasor
