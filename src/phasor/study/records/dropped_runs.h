#pragma once
// A summary never gets poorer unnoticed: which runs an earlier one counted that can no longer be read.
#include <cstdint>
#include <string>
#include <vector>

#include "phasor/study/records/study_folder.h"

namespace phasor {

struct DroppedRun {
  std::string id;
  std::string cell;
  uint64_t seed = 0;
  std::string why;
};

// Runs of the folder's summary.json that `results` lack, as one line each would tell it; none where there is no
// summary. Throws FormatError where it is damaged: nobody knows then what it counted.
std::vector<DroppedRun> dropped_runs(const StudyFolder& folder, const StudyResults& results);

// Runs whose files are there and cannot be used.
std::vector<DroppedRun> unreadable_runs(const StudyResults& results);

}  // namespace phasor
