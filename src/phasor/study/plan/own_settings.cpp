#include "phasor/study/plan/own_settings.h"

#include <fmt/format.h>

#include "phasor/run/config_builder.h"
#include "phasor/run/config_keys.h"

namespace phasor {

RunConfig preset_config(const RunConfig& like, const std::string& task, const std::string& encoding,
                        const ConfigBundle& settings) {
  ConfigBuilder builder;
  builder.add_option("preset", "preset", like.preset);
  builder.add_option("--add-task", "task", task);
  builder.add_option("protocols", "protocol", like.protocol);
  builder.add_option("--add-encoding", "model.encoding", encoding);
  for (const auto& [key, value] : settings) builder.add_set(fmt::format("{}={}", key, value));
  return builder.build();
}

ConfigBundle own_settings(const RunConfig& config) {
  const RunConfig usual = preset_config(config, config.task, config.model.encoding, {});
  ConfigBundle own;
  for (const ConfigKey& key : config_keys(find_task(config.task))) {
    if (key.name == "seed" || key.get(config) == key.get(usual)) continue;
    own.emplace_back(key.name, key.get(config));
  }
  return own;
}

}  // namespace phasor
