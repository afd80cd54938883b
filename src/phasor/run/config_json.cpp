#include "phasor/run/config_json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/json_fields.h"
#include "phasor/run/config_complete.h"
#include "phasor/run/config_file.h"
#include "phasor/run/config_keys.h"
#include "phasor/run/config_text.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

Json to_value(const ConfigKey& key, const RunConfig& config) {
  const std::string text = key.get(config);
  switch (key.type) {
    case ConfigType::whole:
      return read_whole(key.name, text, {.least = std::numeric_limits<int64_t>::min()});
    case ConfigType::seed:
      return read_seed(key.name, text);
    case ConfigType::real:
      return read_real(key.name, text, {.least = std::numeric_limits<double>::lowest()});
    case ConfigType::flag:
      return read_flag(key.name, text);
    case ConfigType::list:
      return read_list(key.name, text, {});
    case ConfigType::word:
    case ConfigType::text:
      break;
  }
  return text;
}

const ConfigEntry* find_entry(const std::vector<ConfigEntry>& entries, std::string_view key) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const ConfigEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

const std::string& require(const std::vector<ConfigEntry>& entries, std::string_view key) {
  const ConfigEntry* entry = find_entry(entries, key);
  if (entry == nullptr) fail_usage("the key '{}' is missing", key);
  return entry->value;
}

RunConfig from_entries(const std::vector<ConfigEntry>& entries) {
  RunConfig config;
  const TaskEntry& task = find_task(require(entries, "task"));
  config.task_values = quick_values(task);
  const std::vector<ConfigKey> keys = config_keys(task);
  for (const ConfigEntry& entry : entries) {
    if (is_start_setting(entry.key)) {
      set_start(config.start, entry.key, entry.value);
    } else {
      find_key(keys, entry.key).set(config, entry.value);
    }
  }
  check_start(config.start);
  for (const ConfigKey& key : keys) require(entries, key.name);
  return complete(std::move(config));
}

}  // namespace

std::string config_to_json(const RunConfig& config) {
  Json root = Json::object();
  for (const ConfigKey& key : config_keys(find_task(config.task))) {
    const size_t dot = key.name.find('.');
    const std::string head = key.name.substr(0, dot);
    if (dot != std::string::npos) {
      root[head][key.name.substr(dot + 1)] = to_value(key, config);
    } else if (head == "task" || head == "protocol") {
      root[head]["name"] = to_value(key, config);
    } else {
      root[head] = to_value(key, config);
    }
  }
  if (!config.start.empty()) root["start"] = write_json(config.start);
  return root.dump(2) + "\n";
}

RunConfig config_from_json(std::string_view text, std::string_view file) {
  const std::vector<ConfigEntry> entries = read_config_entries(text, file);
  try {
    return from_entries(entries);
  } catch (const UsageError& error) {
    throw FormatError(fmt::format("{}: {}", file, error.what()));
  }
}

RunConfig load_config(const std::string& path) { return config_from_json(read_file(path), path); }

std::string canonical_text(const RunConfig& config) {
  std::string text;
  for (const ConfigKey& key : config_keys(find_task(config.task))) {
    if (key.name != "preset") text += fmt::format("{}={}\n", key.name, key.get(config));
  }
  for (const auto& [key, value] : start_settings(config.start)) text += fmt::format("{}={}\n", key, value);
  return text;
}

std::string config_id(const RunConfig& config) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : canonical_text(config)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return fmt::format("{:016x}", hash);
}

}  // namespace phasor
