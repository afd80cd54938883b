#include "settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "phasor/train/config_json.h"
#include "phasor/train/config_keys.h"
#include "terminal.h"

namespace phasor::app {

void print_keys(const RunConfig& config, bool json) {
  const std::vector<ConfigKey> keys = config_keys(find_task(config.task));
  if (json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ConfigKey& key : keys) {
      list.push_back({{"name", key.name}, {"value", key.get(config)}, {"range", key.range}, {"help", key.help}});
    }
    print_out("{}\n", list.dump(2));
    return;
  }
  size_t key_width = 0, value_width = 0;
  for (const ConfigKey& key : keys) {
    key_width = std::max(key_width, key.name.size());
    value_width = std::max(value_width, key.get(config).size());
  }
  for (const ConfigKey& key : keys) {
    print_out("{:<{}}  {:<{}}  {} ({})\n", key.name, key_width, key.get(config), value_width, key.help, key.range);
  }
}

void print_dry_run(const ConfigBuilder& builder, bool json) {
  if (json) {
    print_out("{}", config_to_json(builder.build()));
    return;
  }
  const std::vector<ConfigLine> lines = builder.explain();
  size_t key_width = 0, value_width = 0;
  for (const ConfigLine& line : lines) {
    key_width = std::max(key_width, line.key.size());
    value_width = std::max(value_width, line.value.size());
  }
  for (const ConfigLine& line : lines) {
    print_out("{:<{}}  {:<{}}  # {}\n", line.key, key_width, line.value, value_width, line.source);
  }
}

}  // namespace phasor::app
