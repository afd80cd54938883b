#pragma once
// When do heads take their part? A run's snapshots ablated one by one, for people and for programs.
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/ablation/run_ablation.h"
#include "phasor/base/json_fields_fwd.h"

namespace phasor {

struct SnapshotAblation {
  int64_t step = 0;
  RunAblation ablation;
};

const Fields<SnapshotAblation>& json_fields(const SnapshotAblation*);

// By step, the finished model last.
std::string timeline_text(const std::vector<SnapshotAblation>& rows);
nlohmann::ordered_json timeline_json(const std::vector<SnapshotAblation>& rows);

}  // namespace phasor
