#pragma once
// How much work a run is, in units that only ratios of which mean something: for telling remaining time. And roughly
// how long a plan takes.
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

// Of all runs of a plan, those that choose learning rates included, with every core busy. Machines differ: a first idea
// before anything has run.
double estimated_seconds(const StudyPlan& plan, int64_t cores);

}  // namespace phasor
