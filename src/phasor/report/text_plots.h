#pragma once
// Small plots of a study for a terminal, at most kTerminalColumns wide: what the page shows, drawn with characters.
#include <string>
#include <vector>

#include "phasor/study/summary/cell_summary.h"

namespace phasor {

// For every task and protocol a line per cell from 0 to 100 %: seeds as dots, the mean as a circle, its interval as a
// line, the task's ceiling as a bar. Empty where no run has finished.
std::string accuracy_plots(const std::vector<CellSummary>& cells);

// Test accuracy over training as a line of bars per cell, from the first evaluation to the last.
std::string learning_plots(const std::vector<CellSummary>& cells);

// Layers x heads of the first run of every cell that was ablated, by position: the darker, the more a head costs.
std::string head_plots(const std::vector<CellSummary>& cells);

}  // namespace phasor
