#pragma once
// What a study would do if it started now: how many runs, for how long, and what they can show. Runs that its folder
// has count as done, and their times and spread are used.
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "phasor/study/carry_out/study_runner.h"
#include "phasor/study/summary/detectable.h"

namespace phasor {

struct StudyOutlook {
  int64_t runs = 0;    // that make results
  int64_t tuning = 0;  // that choose learning rates
  int64_t there = 0;   // of both: finished already
  double seconds = 0.0;
  std::string seconds_of;  // where that comes from: "2 cores like those of ...", "the times of 4 runs that are here"
  Detectable detectable;
  std::vector<RateChoice> rates;  // that trials have decided
};

StudyOutlook outlook_of(const StudyPlan& plan, const StudyFolder& folder, const RunnerOptions& runner);

// "20 runs, of which 10 are there; about 41 s on ...; with 10 seeds a difference of ..."
std::string outlook_text(const StudyOutlook& outlook);

// For programs: `study`, `runs`, `tuning_runs`, `finished_runs`, `seconds`, `detectable_difference` and `cells`, each
// with its seeds, steps, rate, settings beside the preset and the ids of its runs. Where the rate is yet to be chosen,
// those at each rate.
nlohmann::ordered_json outlook_json(const StudyPlan& plan, const StudyOutlook& outlook);

}  // namespace phasor
