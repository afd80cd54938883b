#include "phasor/encoding/encoding_list.h"

#include <fmt/format.h>

#include <map>

#include "phasor/base/json_fields.h"
#include "phasor/base/wrapped_text.h"
#include "phasor/encoding/family.h"
#include "phasor/encoding/syntax/parameter_text.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kListWidth = 100;
constexpr size_t kName = 18;       // columns for an entry's name, with the margin
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
    case EncodingParameter::Kind::words:
      return "words";
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

const Fields<EncodingParameter>& json_fields(const EncodingParameter*) {
  using P = EncodingParameter;
  const auto has_no_bounds = [](const P& parameter) {
    return parameter.kind != P::Kind::number && parameter.kind != P::Kind::integer &&
           parameter.kind != P::Kind::learnable && parameter.kind != P::Kind::numbers;
  };
  static const Fields<P> fields = {
      field("name", &P::name, "as in NAME=VALUE"),
      derived_field<P>(
          "kind", [](const P& parameter) { return kind_name(parameter.kind); },
          "`number`, `integer`, `word`, `learnable`, `formula`, `numbers` or `encoding`"),
      field("help", &P::help, "what it sets"),
      field("required", &P::required, "it has no default"),
      json_field<P>("default", "number, text or null", default_json, "null: it must be given"),
      field("least", &P::least, "of numbers only").left_out_if(has_no_bounds),
      field("most", &P::most, "of numbers only; null: no bound").left_out_if(has_no_bounds),
      field("choices", &P::choices, "of words; absent if there are none").left_out_if([](const P& parameter) {
        return parameter.choices.empty();
      })};
  return fields;
}

const Fields<EncodingEntry>& json_fields(const EncodingEntry*) {
  using E = EncodingEntry;
  static const Fields<E> fields = {
      field("name", &E::name, "as in an expression"),
      derived_field<E>(
          "family", [](const E& entry) { return family_name(family_of(entry)); }, "which of the places it fills"),
      field("summary", &E::summary, "one line"),
      field("formula", &E::formula, "p position, d distance, c channel, h head, H heads"),
      field("paper", &E::paper, "where it was published"),
      field("year", &E::year, "of the paper"),
      derived_field<E>("example", shown_expression, "an expression that shows it"),
      field("parameters", &E::parameters, "what may stand in brackets"),
      field("notes", &E::notes, "what else to know, in Markdown")};
  return fields;
}

Json encoding_list_json() { return write_json(encoding_catalogue()); }

}  // namespace phasor
