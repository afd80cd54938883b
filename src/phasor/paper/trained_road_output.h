#pragma once
// The trained road for people and for programs: the same strings in both.
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "phasor/base/text_table.h"
#include "phasor/paper/trained_road.h"

namespace phasor::paper {

// The table, and below it what intervals say.
std::string trained_road_text(const TrainedRoad& road, TableFormat format);
nlohmann::ordered_json trained_road_json(const TrainedRoad& road);

}  // namespace phasor::paper
