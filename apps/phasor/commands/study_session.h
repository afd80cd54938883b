#pragma once
// A study on the terminal, from its plan to its report: tuning, runs, progress, interruption.
#include <optional>
#include <string>

#include "options/study_options.h"

namespace phasor::app {

// Carries the study out, or goes on with it, and leaves its report in the folder; with --dry-run prints the plan alone.
// Throws Error when interrupted, after saving everything, when the disk is full, and, at the end, where runs failed.
//
// A folder that was extended beyond the plan goes on with all that it has.
void run_study(StudyPlan plan, const StudyOptions& options);

// The runs alone, without a report. Changes the plan to what the folder has of it already. Nothing with --dry-run,
// which prints the plan.
std::optional<StudyResults> carry_out_runs(StudyPlan& plan, const StudyOptions& options);

}  // namespace phasor::app
