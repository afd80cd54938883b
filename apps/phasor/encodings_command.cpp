// phasor encodings: the catalogue, one line each.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "phasor/encoding/catalogue.h"

namespace phasor::app {

void add_encodings_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("encodings", "List the positional encodings that can be named");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print an array of objects");
  command->callback([json] {
    if (*json) {
      nlohmann::ordered_json list = nlohmann::ordered_json::array();
      for (const EncodingEntry& entry : encoding_catalogue()) {
        nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
        for (const EncodingParameter& parameter : entry.parameters) {
          parameters.push_back({{"name", parameter.name}, {"help", parameter.help}});
        }
        list.push_back({{"name", entry.name},
                        {"summary", entry.summary},
                        {"formula", entry.formula},
                        {"paper", entry.paper},
                        {"year", entry.year},
                        {"parameters", parameters}});
      }
      fmt::print("{}\n", list.dump(2));
      return;
    }
    for (const EncodingEntry& entry : encoding_catalogue()) fmt::print("{:<12} {}\n", entry.name, entry.summary);
  });
}

}  // namespace phasor::app
