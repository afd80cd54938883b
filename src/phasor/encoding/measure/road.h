#pragma once
// From the position itself to rotations by several coordinates, each step with what it gained, measured: the road of
// Fleetwood, "You could have designed state of the art positional encoding".
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/encoding/measure/desiderata.h"

namespace phasor {

struct RoadStep {
  std::string expression;
  Desiderata measured;
};

std::vector<RoadStep> walk_road();

// A row of the table in words and numbers that do not depend on rounding, and the heads of its columns.
struct RoadColumn {
  std::string head;
  std::string meaning;
};
const std::vector<RoadColumn>& road_columns();
std::vector<std::string> road_cells(const RoadStep& step);

// What the table shows, step by step.
std::string_view road_story();

// "yes", "no" or "-".
std::string_view verdict_word(Fulfilment verdict);
// Two digits, or "<1e-12": what is below is rounding, which differs between machines.
std::string residual_text(double residual);

// The whole road for people and for programs.
std::string road_text();
nlohmann::ordered_json road_json();

}  // namespace phasor
