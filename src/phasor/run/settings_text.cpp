#include "phasor/run/settings_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "phasor/run/config_keys.h"

namespace phasor {

std::string keys_text(const RunConfig& config) {
  const std::vector<ConfigKey> keys = config_keys(find_task(config.task));
  size_t key_width = 0, value_width = 0;
  for (const ConfigKey& key : keys) {
    key_width = std::max(key_width, key.name.size());
    value_width = std::max(value_width, key.get(config).size());
  }
  std::string text;
  for (const ConfigKey& key : keys) {
    text += fmt::format("{:<{}}  {:<{}}  {} ({})\n", key.name, key_width, key.get(config), value_width, key.help,
                        key.range);
  }
  return text;
}

nlohmann::ordered_json keys_json(const RunConfig& config) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ConfigKey& key : config_keys(find_task(config.task))) {
    list.push_back({{"name", key.name}, {"value", key.get(config)}, {"range", key.range}, {"help", key.help}});
  }
  return list;
}

std::string settings_text(const ConfigBuilder& builder) {
  const std::vector<ConfigLine> lines = builder.explain();
  size_t key_width = 0, value_width = 0;
  for (const ConfigLine& line : lines) {
    key_width = std::max(key_width, line.key.size());
    value_width = std::max(value_width, line.value.size());
  }
  std::string text;
  for (const ConfigLine& line : lines) {
    text += fmt::format("{:<{}}  {:<{}}  # {}\n", line.key, key_width, line.value, value_width, line.source);
  }
  return text;
}

}  // namespace phasor
