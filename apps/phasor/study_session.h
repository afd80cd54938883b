#pragma once
// A study from its plan to its results: tuning, runs, progress, interruption.
#include <string>

#include "phasor/study/study_folder.h"
#include "study_options.h"

namespace phasor::app {

// In a study's folder: the command that its latest sitting was started by.
inline constexpr const char* kCommandFile = "command.txt";

// Throws Error when interrupted, after saving everything, and when the disk is full. Runs that failed are part of the
// results.
StudyResults run_study(const StudyPlan& plan, const StudyOptions& options);

// Every run that the plan asks for; learning rates that are yet to be chosen as such.
void print_plan(const StudyPlan& plan);

// Throws Error, naming the first, where runs failed: the exit code says so.
void fail_for_failures(const StudyResults& results);

}  // namespace phasor::app
