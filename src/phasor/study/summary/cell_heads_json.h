#pragma once
// The part of a cell's JSON that is about heads: verdicts, removal of p, snapshots.
#include <nlohmann/json_fwd.hpp>

#include "phasor/study/summary/cell_heads.h"

namespace phasor {

nlohmann::ordered_json to_json(const QuestionSummary& question);
nlohmann::ordered_json to_json(const std::vector<RemovalSummary>& removal);
nlohmann::ordered_json to_json(const std::vector<SnapshotSummary>& snapshots);

}  // namespace phasor
