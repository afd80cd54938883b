#pragma once
// What charts draw of the runs of a cell, with means and intervals, so that the page computes none: telemetry, and
// everything again for converged runs alone.
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "phasor/study/records/study_results.h"

namespace phasor {

// Curves over the steps at which some run was evaluated; null where none was. The learning rate is the first run's.
nlohmann::ordered_json telemetry_json(const std::vector<RunRecord>& runs);

// Curves, lengths, spectrum, removal, snapshots and telemetry of converged runs alone, as in the summary's cell. Null
// where that leaves out nothing.
nlohmann::ordered_json converged_json(const CellRuns& cell);

}  // namespace phasor
