#pragma once
// A cell for programs: one element of `cells` in summary.json.
#include <nlohmann/json_fwd.hpp>

#include "phasor/study/summary/cell_summary.h"

namespace phasor {

nlohmann::ordered_json to_json(const CellName& cell);
nlohmann::ordered_json to_json(const SeedInterval& interval);
nlohmann::ordered_json to_json(const CellSummary& cell);

}  // namespace phasor
