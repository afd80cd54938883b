#pragma once
// What is measured of a trained model for a study. Every measure ends with a file in the run's folder, so that a study
// that was interrupted measures nothing twice; the long ones (ablations) also go on within.
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "phasor/engine/backend.h"
#include "phasor/study/plan/planned_run.h"

namespace phasor {

// What is going on, and the share of all that is to be measured of this run that is done. False stops.
using MeasureProgress = std::function<bool(std::string_view what, double share)>;

// Measures of `run` that its folder does not have yet. False when `progress` stopped it: the next call goes on.
bool measure_run(Backend& backend, const PlannedRun& run, const std::filesystem::path& folder,
                 const MeasureProgress& progress = {});

// The files of everything that is to be measured are there and whole, ablations by as many samples as asked for.
bool is_measured(const PlannedRun& run, const std::filesystem::path& folder);

// Steps between the first update and the last whose weights the run keeps, rising: those that measures of snapshots are
// about.
std::vector<int64_t> measured_snapshots(const TrainConfig& train);

}  // namespace phasor
