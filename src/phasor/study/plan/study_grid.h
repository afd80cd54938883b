#pragma once
// Encodings x tasks x protocols x switches, each with the same seeds: the cells that most studies are made of.
#include <cstdint>
#include <string>
#include <vector>

#include "phasor/run/config_presets.h"
#include "phasor/study/plan/study_plan.h"

namespace phasor {

// Settings under a name, which becomes part of the cell's variant.
struct GridSwitch {
  std::string name;
  ConfigBundle settings;
};

struct StudyGrid {
  std::string preset = "quick";
  std::vector<std::string> encodings;
  std::vector<NamedEncoding> names = {};  // of some of them
  std::vector<std::string> tasks = {"distance"};
  std::vector<std::string> protocols = {"clean"};
  std::vector<GridSwitch> switches;  // empty: nothing is switched. A name may be empty: the grid as it is
  std::vector<uint64_t> seeds = first_seeds(5);
  std::string variant;    // of all cells
  ConfigBundle settings;  // of all runs; data.seed may be "run", its default: every run's own seed
  std::vector<double> rates;
  RunMeasures measures;

  static std::vector<uint64_t> first_seeds(int64_t count);  // 0, 1, ...
};

// Adds an encoding that stands in a list, "rope" or "mine=rope". Throws UsageError.
void add_encoding(StudyGrid& grid, const NamedEncoding& encoding);

// Names are as in encoding_labels.h. Throws UsageError for what no run can be made of: an unknown encoding, task,
// protocol or key, and what does not fit.
void add_cells(StudyPlan& plan, const StudyGrid& grid);

// "ablation", "snapshots", "published", "spectrum", "lengths"; "all" and "none". Throws UsageError for others.
RunMeasures parse_measures(const std::vector<std::string>& names);

}  // namespace phasor
