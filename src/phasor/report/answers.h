#pragma once
// Which encoding leads, and how certain that is: one answer per task and protocol, from all finished runs. Page,
// terminal and summary.md show these sentences; none of them makes its own.
//
// The best is the one with the highest mean, held against each other encoding by the interval that decides comparisons
// (statistics/mean_difference.h). "It leads" says that it is better than every other one: each of these must hold, so
// none is corrected for the others (an intersection-union test).
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "phasor/study/summary/study_summary.h"

namespace phasor {

// What the best is to another cell.
enum class Standing : uint8_t {
  best,
  level,  // no difference of interest from the best
  open,   // neither that nor significantly worse
  worse,  // the best is better
};
std::string_view name(Standing standing);  // "best", "level", "open", "worse"

struct RankedCell {
  CellName cell;
  std::string name;  // in the sentences
  CellNumbers numbers;
  int64_t finished = 0, planned = 0, unconverged = 0;  // runs
  std::optional<statistics::MeanDifference> behind;    // best - this; nothing for the best itself
  std::optional<double> converged_mean;                // test accuracy of runs that were not improving any more
  Standing standing = Standing::open;

  const SeedInterval& accuracy() const { return numbers.test_accuracy; }
  // "3 of 5 runs finished, 1 of 3 runs not converged"; empty where all finished and converged.
  std::string runs_text() const;
};

struct Answer {
  std::string task, protocol, title;
  std::string headline, sentence;
  std::string extension;           // which of it was added to the study later, in a sentence; often empty
  std::vector<CellName> cells;     // all that the answer is about, also those without a finished run
  std::vector<RankedCell> ranked;  // by falling mean
};

// Of every task and protocol that the study has cells of. `paper`: as for answered_places().
std::vector<Answer> study_answers(const StudySummary& summary, bool paper);

}  // namespace phasor
