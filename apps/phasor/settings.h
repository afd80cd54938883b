#pragma once
// Settings for people: every key that --set takes, and what a run's configuration is made of.
#include "phasor/train/config_builder.h"

namespace phasor::app {

// Keys of a run on this configuration's task, with range and meaning.
void print_keys(const RunConfig& config, bool json);

// Every value with where it came from; as JSON it is a config.json.
void print_dry_run(const ConfigBuilder& builder, bool json);

}  // namespace phasor::app
