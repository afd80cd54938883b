#pragma once
// Settings for people: every key that --set takes, and what a run's configuration is made of.
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "phasor/run/config_builder.h"

namespace phasor {

// Keys of a run on this configuration's task, with value, range and meaning.
std::string keys_text(const RunConfig& config);
nlohmann::ordered_json keys_json(const RunConfig& config);

// Every value with where it came from.
std::string settings_text(const ConfigBuilder& builder);

}  // namespace phasor
