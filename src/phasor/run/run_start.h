#pragma once
// Where a run starts: its folder and its configuration, for a new run and for one that is resumed.
#include <filesystem>

#include "phasor/run/config.h"
#include "phasor/run/run_folder.h"

namespace phasor {

// runs/distance-rope-seed0-1a2b3c4d: readable, and different for every configuration.
std::filesystem::path default_folder(const RunConfig& config);

// Throws UsageError, naming the key, where `asked` is not the configuration that the folder was started with.
void require_same_config(const RunFolder& folder, const RunConfig& stored, const RunConfig& asked);

}  // namespace phasor
