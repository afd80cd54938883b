#pragma once
// A whole study in numbers: what summary.json holds and what tables are made from.
#include <string>
#include <vector>

#include "phasor/study/plan/encoding_labels.h"
#include "phasor/study/records/study_results.h"
#include "phasor/study/summary/cell_summary.h"
#include "phasor/study/summary/comparison.h"

namespace phasor {

struct RunTime {
  std::string id;
  double seconds = 0.0;  // of training
  std::string device;
};

struct StudySummary {
  std::string name;
  std::string preset;
  std::vector<CellSummary> cells;  // in the plan's order
  std::vector<RateChoice> rates;
  std::vector<Comparison> comparisons;
  std::vector<RunFailure> failures;
  std::vector<RunTime> times;  // of every run once; the only part that depends on the clock and the machine

  std::vector<EncodingLabel> labels() const;
};

StudySummary summarize(const StudyResults& results, std::vector<Comparison> comparisons = {});

}  // namespace phasor
