#pragma once
// What a study with so many seeds can show of test accuracies, before it has run and while it grows.
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/base/special_numbers.h"
#include "phasor/study/plan/study_plan.h"

namespace phasor {

// How far runs of a cell scatter where nothing is known of a study yet: the median over the clean cells of the quick
// study, docs/results/quick_runs.csv. The middle half of them lies between 0.5 and 5.8 points.
inline constexpr double kUsualDeviation = 0.023;
inline constexpr const char* kUsualDeviationOf = "the median cell of docs/results/quick.md does";

struct Detectable {
  int64_t seeds = 0;              // the fewest that a cell has
  double deviation = 0.0;         // of a run's test accuracy
  std::string deviation_of;       // where that comes from, in words
  double difference = kInfinity;  // found 4 times in 5; infinite where the seeds are too few to decide anything
  double least = kInfinity;       // the smallest that can be told from 0 at all, by runs that do not scatter
};

const Fields<Detectable>& json_fields(const Detectable*);

// By the spread of the runs that `results` has, where two or more of a cell have finished.
Detectable detectable_of(const StudyPlan& plan, const StudyResults& results);

// "with 5 seeds a difference of 3.1 points is found 4 times in 5 if runs scatter by 1.5 points (as ...)"
std::string detectable_text(const Detectable& detectable);

}  // namespace phasor
