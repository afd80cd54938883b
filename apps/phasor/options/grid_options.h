#pragma once
// A grid of runs as options: what 'phasor study PRESET' and 'phasor compare' take.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "phasor/study/plan/study_grid.h"

namespace phasor::app {

struct GridOptions {
  std::vector<std::string> encodings, tasks, protocols, measures, sets;
  std::string preset = "quick";
  std::optional<int64_t> seeds;
  std::string tune;

  void add_to(CLI::App& command);
  bool empty() const;
  // Throws UsageError. `encodings`, "rope" or "mine=rope", are added by the command, which takes them as option or as
  // words.
  StudyGrid grid() const;
};

// Throws UsageError. Its name is "rope, alibi on distance", its title the same with the names of encodings.
StudyPlan grid_plan(const StudyGrid& grid);

// "lr=3e-4,1e-3,3e-3"
std::vector<double> parse_rates(const std::string& text);

}  // namespace phasor::app
