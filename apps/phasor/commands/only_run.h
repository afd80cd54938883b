#pragma once
// One run of a study's plan, repeated by its id.
#include <string>

#include "options/study_options.h"

namespace phasor::app {

// Trains and measures it in options.out, or in runs/only-<id>, and prints the numbers that summary.csv has of it; where
// `study`, a folder, has the run too, whether they are the same. With --dry-run prints its settings.
void run_only(const StudyPlan& plan, const std::string& id, const StudyOptions& options, const std::string& study);

}  // namespace phasor::app
