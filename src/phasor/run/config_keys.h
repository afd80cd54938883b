#pragma once
// The one table of configuration keys. `--set`, files, config.json, `--dry-run` and help all read it.
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/run/config.h"

namespace phasor {

// How a value is written: in JSON as a number, true/false, a string or an array of numbers; as text
// always in the form that `set` reads back.
enum class ConfigType : uint8_t { whole, seed, real, flag, word, text, list };

struct ConfigKey {
  std::string name;  // "model.width"
  ConfigType type = ConfigType::whole;
  std::string help;
  std::string range;  // for people: "at least 1", "relu, gelu"
  std::function<std::string(const RunConfig&)> get;
  // Throws UsageError: not of the type, out of range, or a value that this version has not built.
  std::function<void(RunConfig&, std::string_view)> set;
};

// Every key of a run on this task, in the order of config.json.
std::vector<ConfigKey> config_keys(const TaskEntry& task);

// Throws UsageError with the nearest key, with the tasks that have it where these are others than `task`, or with our
// word for another library's.
const ConfigKey& find_key(const std::vector<ConfigKey>& keys, std::string_view name, std::string_view task = {});

}  // namespace phasor
