// phasor encodings: the catalogue, with each encoding's parameters.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/printer.h"

namespace phasor::app {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const EncodingParameter& parameter) {
  const bool is_word = parameter.kind == EncodingParameter::Kind::word;
  const std::string text = print_expression(parameter.default_value);
  Json json = {{"name", parameter.name}, {"help", parameter.help}};
  json["default"] = is_word ? Json(text) : Json(std::get<double>(parameter.default_value.content));
  if (is_word) {
    json["choices"] = parameter.choices;
  } else {
    json["least"] = parameter.least;
    json["most"] = parameter.most;
  }
  return json;
}

void print_json() {
  Json list = Json::array();
  for (const EncodingEntry& entry : encoding_catalogue()) {
    Json parameters = Json::array();
    for (const EncodingParameter& parameter : entry.parameters) parameters.push_back(to_json(parameter));
    list.push_back({{"name", entry.name},
                    {"summary", entry.summary},
                    {"formula", entry.formula},
                    {"paper", entry.paper},
                    {"year", entry.year},
                    {"parameters", parameters}});
  }
  fmt::print("{}\n", list.dump(2));
}

void print_table() {
  for (const EncodingEntry& entry : encoding_catalogue()) {
    fmt::print("{:<12} {}\n", entry.name, entry.summary);
    for (const EncodingParameter& parameter : entry.parameters) {
      const std::string assignment = parameter.name + "=" + print_expression(parameter.default_value);
      fmt::print("  {:<20} {}", assignment, parameter.help);
      if (!parameter.choices.empty()) fmt::print(" ({})", fmt::join(parameter.choices, ", "));
      fmt::print("\n");
    }
  }
}

}  // namespace

void add_encodings_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("encodings", "List the positional encodings that can be named");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print an array of objects");
  command->footer(
      "Examples of what can be written after --encoding:\n"
      "  rope   'rope(base=500000)'   sinusoidal+rope   'rope[heads=0-1]+alibi[heads=2-3]'\n"
      "docs/encodings.md has the grammar and the formulas.");
  command->callback([json] { *json ? print_json() : print_table(); });
}

}  // namespace phasor::app
