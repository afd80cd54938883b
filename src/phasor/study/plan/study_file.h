#pragma once
// Studies that a person writes: JSON with comments, described in docs/studies.md. A study.json is one too.
#include <string>
#include <string_view>

#include "phasor/study/plan/study_plan.h"

namespace phasor {

// Throws FormatError for what is no JSON, UsageError for an unknown member, encoding, task or key, and for two cells
// that ask for one run. Both start with `file`.
StudyPlan read_study(std::string_view text, std::string_view file);

}  // namespace phasor
