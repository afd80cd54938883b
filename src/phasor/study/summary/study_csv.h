#pragma once
// summary.csv: a tidy table of a study, one line per run of each cell. What was not measured or is not defined is
// empty; of a run that failed there is its name alone.
#include <string>

#include "phasor/study/records/study_results.h"

namespace phasor {

// Columns accuracy_at_<factor> for every factor that some run has.
std::string study_csv(const StudyResults& results);

}  // namespace phasor
