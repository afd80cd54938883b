#pragma once
// A tidy table of an ablation: one line per condition.
#include <string>

#include "phasor/ablation/score_table.h"

namespace phasor {

// Header line and one line per condition, each starting with the fields of `labels` ("rope,distance,0"), whose names
// are `label_names`. Intervals are Student's t over samples; p is McNemar's exact test of the answers, empty where a
// sample has several targets or draws.
std::string ablation_csv(const ScoreTable& table, const std::string& label_names, const std::string& labels);

}  // namespace phasor
