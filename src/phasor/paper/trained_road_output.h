#pragma once
// The trained road for people: what its table and the sentences below it say.
#include <string>
#include <vector>

#include "phasor/base/text_table.h"
#include "phasor/paper/trained_road.h"

namespace phasor::paper {

// Every encoding on every task: what it fulfils, and accuracy and speed with their intervals.
TextTable trained_road_table(const TrainedRoad& road);
// How to read it.
std::string_view trained_road_key();
// What intervals say; one sentence where they say nothing.
std::vector<std::string> trained_road_reading(const TrainedRoad& road);

}  // namespace phasor::paper
