#pragma once
// Layers x heads of one model with characters: the darker a head, the more its loss rises without it.
#include <string>
#include <vector>

#include "phasor/study/summary/cell_heads.h"

namespace phasor {

// Of the seeds of a cell the one to be drawn: the first that converged, or else the first.
const SeedHeads& pictured_seed(const std::vector<SeedHeads>& seeds);

// "···· ·█▒· ····": layers from the input on, each with its heads.
std::string head_picture(const SeedHeads& seed);

}  // namespace phasor
