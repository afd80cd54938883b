#include "phasor/study/study_results.h"

#include <algorithm>

namespace phasor {

const CellRuns* StudyResults::find(const CellName& cell) const {
  const auto found = std::find_if(cells.begin(), cells.end(), [&](const CellRuns& runs) { return runs.cell == cell; });
  return found == cells.end() ? nullptr : &*found;
}

}  // namespace phasor
