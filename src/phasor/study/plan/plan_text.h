#pragma once
// A plan for people: what 'phasor study --dry-run' prints.
#include <string>

#include "phasor/study/plan/study_plan.h"

namespace phasor {

// Every cell with its seeds, steps and learning rate (or those it is yet to be chosen from), and how many runs that is.
std::string plan_text(const StudyPlan& plan);

}  // namespace phasor
