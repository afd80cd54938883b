#pragma once
// The plan of a study that grows: more seeds, encodings and tasks, with everything else as it is.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "phasor/run/config_presets.h"
#include "phasor/study/plan/named_encoding.h"
#include "phasor/study/plan/study_plan.h"

namespace phasor {

struct StudyGrowth {
  std::optional<int64_t> seeds;  // how many every cell has then; those that have more keep them
  std::vector<NamedEncoding> encodings;
  std::vector<std::string> tasks;
  ConfigBundle settings;  // of the cells of new tasks

  bool empty() const { return !seeds && encodings.empty() && tasks.empty(); }
};

// A new encoding is trained wherever the study has cells, by the settings, seeds, rates to choose from and measures of
// the first cell of that task, protocol and variant; a new task likewise, with its own sizes at the preset. Seeds are
// the smallest that a cell lacks. What the study has already stays as it is, so that the
// same call resumes. Throws UsageError for fewer seeds than there are, and for what cannot be trained.
StudyPlan grown(const StudyPlan& plan, const StudyGrowth& growth);

// `there` with what `asked`, whose cells it has (has_cells_of), has beyond it: seeds, which cells that `asked` lacks
// get as well, and names of encodings, which count instead of those that it has. Throws UsageError where a name belongs
// to another encoding.
StudyPlan with_asked(const StudyPlan& there, const StudyPlan& asked);

}  // namespace phasor
