#pragma once
// What charts draw of the runs of a cell beside its summary, with means and intervals, so that the page computes none.
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "phasor/study/records/study_results.h"

namespace phasor {

// Curves over the steps at which some run was evaluated; null where none was. The learning rate is the first run's.
nlohmann::ordered_json telemetry_json(const std::vector<RunRecord>& runs);

}  // namespace phasor
