#include "phasor/study/summary/study_summary.h"

#include <set>

namespace phasor {

std::vector<EncodingLabel> StudySummary::labels() const {
  std::vector<CellName> names;
  names.reserve(cells.size());
  for (const CellSummary& cell : cells) names.push_back(cell.cell);
  return labels_of(names);
}

StudySummary summarize(const StudyResults& results, std::vector<Comparison> comparisons) {
  StudySummary summary{
      .name = results.name, .preset = results.preset, .rates = results.rates, .comparisons = std::move(comparisons)};
  std::set<std::string> timed;  // two cells may share a run
  for (const CellRuns& cell : results.cells) {
    summary.cells.push_back(summarize(cell));
    summary.failures.insert(summary.failures.end(), cell.failures.begin(), cell.failures.end());
    for (const RunRecord& run : cell.runs) {
      if (timed.insert(run.id).second) summary.times.push_back({run.id, run.seconds, run.device});
    }
  }
  return summary;
}

}  // namespace phasor
