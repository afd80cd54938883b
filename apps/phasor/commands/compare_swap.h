#pragma once
// 'phasor compare --swap': one encoding trained over seeds, then run under others.
#include "options/study_options.h"
#include "phasor/study/swap/swap_study.h"

namespace phasor::app {

// Leaves swap.csv and swap.json in the study's folder and prints what they say.
void compare_swaps(StudyPlan plan, const StudyOptions& options, const SwapPlan& swaps);

}  // namespace phasor::app
