#pragma once
// Which encoding leads, and how reliably: one answer per task and protocol, from converged runs alone. Page, terminal
// and summary.md show these sentences; none of them makes its own.
#include <cstdint>
#include <string>
#include <vector>

#include "phasor/study/summary/study_summary.h"

namespace phasor {

struct RankedCell {
  CellName cell;
  std::string name;               // in the sentences
  bool claimable = false;         // some run converged
  SeedInterval accuracy;          // of converged runs; of all finished ones where none has converged
  int64_t converged = 0;          // runs
  int64_t planned = 0;            // likewise
  bool like_best = false;         // no reliable difference from the best
  std::string runs_text() const;  // "2 of 5 runs converged"
};

struct Answer {
  std::string task, protocol, title;
  std::string headline, sentence;
  std::vector<CellName> cells;     // all that the answer is about, also those without a finished run
  std::vector<RankedCell> ranked;  // best first; those without a converged run last
};

// Of every task and protocol that the study has cells of. `paper`: as for answered_places().
std::vector<Answer> study_answers(const StudySummary& summary, bool paper);

}  // namespace phasor
