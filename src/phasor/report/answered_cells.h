#pragma once
// Which cells of a study stand beside each other in an answer, and what each is called there.
//
// A place is a task under a protocol; the released program of MLA belongs to the released protocol. A released form of
// an encoding has the name of the clean one, unless one place would then have two of a name. Cells with a place of
// their own take part in no answer: variants of the paper's study, and the curve over k rotary heads.
#include <string>
#include <vector>

#include "phasor/study/summary/cell_summary.h"

namespace phasor {

struct AnsweredCell {
  const CellSummary* cell = nullptr;
  std::string name;  // "mla", "rope, as many parameters as mla"
};

struct AnsweredPlace {
  std::string task, protocol;
  std::vector<AnsweredCell> cells;  // in the plan's order

  std::string title() const { return protocol.empty() ? task : task + ", " + protocol; }
};

// The clean form of a released one; else the encoding itself.
std::string usual_form(const CellName& cell);

// `paper`: the study is the paper's. The places refer to `cells`.
std::vector<AnsweredPlace> answered_places(const std::vector<CellSummary>& cells, bool paper);

}  // namespace phasor
