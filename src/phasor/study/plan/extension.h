#pragma once
// A study that was extended after it had runs: what was added, when and by which program. Extensions stand in
// study.json beside what was registered. What rests on their runs is no registered result, and is labelled as an
// extension.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/study/plan/study_plan.h"

namespace phasor {

struct ExtendedCell {
  CellName cell;
  std::vector<uint64_t> seeds;  // those that are new: of a new cell all
};

struct StudyExtension {
  std::string date;    // UTC
  std::string commit;  // of the program
  std::string before;  // hash of the plan, as Registration has it
  std::string after;
  std::string what;  // "seeds 5 to 9", "nope", "nope and the task index"
  std::vector<ExtendedCell> added;
};

const Fields<StudyExtension>& json_fields(const StudyExtension*);

// What `later` has beyond `earlier`. Nothing where it is the same, and where it lacks or changes something of it: that
// is another plan.
std::vector<ExtendedCell> added_cells(const StudyPlan& earlier, const StudyPlan& later);

// `whole` has all of `part`, and more.
bool is_part_of(const StudyPlan& part, const StudyPlan& whole);

// `whole` has every cell of `part`, with the same settings; seeds may differ.
bool has_cells_of(const StudyPlan& whole, const StudyPlan& part);

// In words, for a study that had `earlier`.
std::string extension_words(const StudyPlan& earlier, const std::vector<ExtendedCell>& added);

// "5 to 9", "1, 3 and 7"
std::string seeds_text(std::vector<uint64_t> seeds);

}  // namespace phasor
