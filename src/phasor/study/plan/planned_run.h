#pragma once
// One run that a study wants, and what is to be measured of it once it is trained.
#include <cstdint>
#include <string>
#include <vector>

#include "phasor/run/config.h"
#include "phasor/study/plan/cell_name.h"

namespace phasor {

struct RunMeasures {
  bool ablation = false;        // heads switched off, p taken out of the stream (ablation.json)
  bool snapshots = false;       // the same at every snapshot (ablation_step_*.json)
  bool published = false;       // ablation as the released code does it (ablation_published.json)
  bool spectrum = false;        // of the logits, before and after training (study_spectrum.json)
  std::vector<double> lengths;  // accuracy on sequences so many times as long (lengths.json)
  int64_t ablation_samples = 1024;

  bool operator==(const RunMeasures&) const = default;
};

// What both ask for.
RunMeasures united(const RunMeasures& a, const RunMeasures& b);

struct PlannedRun {
  std::string id;  // config_id(config)
  CellName cell;
  RunConfig config;
  RunMeasures measures;
  bool tuning = false;  // helps to choose a learning rate, and is part of no result
};

}  // namespace phasor
