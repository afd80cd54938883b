#pragma once
// How much work a run is, in units that only ratios of which mean something: for telling remaining time.
#include "phasor/study/plan/planned_run.h"

namespace phasor {

struct RunWork {
  double training = 0.0;
  double measuring = 0.0;

  double all() const { return training + measuring; }
};

RunWork expected_work(const PlannedRun& run);

}  // namespace phasor
