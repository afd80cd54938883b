#pragma once
// Where a run starts: its folder and its configuration, for a new run and for one that goes on.
#include <filesystem>

#include "phasor/train/run_folder.h"
#include "run_options.h"

namespace phasor::app {

// runs/distance-rope-seed0-1a2b3c4d: readable, and different for every configuration.
std::filesystem::path default_folder(const RunConfig& config);

// The folder's own configuration. Throws UsageError where the options ask for another value.
RunConfig resumed_config(const RunFolder& folder, const RunOptions& options);

}  // namespace phasor::app
