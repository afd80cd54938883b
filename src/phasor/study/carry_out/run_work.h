#pragma once
// How much work a run is: for telling how long it takes.
#include <cstdint>

#include "phasor/study/plan/study_plan.h"

namespace phasor {

struct RunWork {
  double training = 0.0;
  double measuring = 0.0;

  double all() const { return training + measuring; }
};

RunWork expected_work(const PlannedRun& run);

// The machine whose rate estimates are made with.
inline constexpr const char* kEstimatedOn = "those of an AMD EPYC (Zen 4)";

// Units of work that a core of it does in a second. Machines differ: a first idea before anything has run.
inline constexpr double kWorkPerCoreSecond = 2.5e10;

}  // namespace phasor
