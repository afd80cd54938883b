#pragma once
// What sets a run apart from one that is started by its preset, protocol, task and encoding alone.
#include "phasor/run/config.h"
#include "phasor/run/config_presets.h"

namespace phasor {

// Settings with values other than those; the seed is none.
ConfigBundle own_settings(const RunConfig& config);

// By preset and protocol of `like`. Throws UsageError.
RunConfig preset_config(const RunConfig& like, const std::string& task, const std::string& encoding,
                        const ConfigBundle& settings);

}  // namespace phasor
