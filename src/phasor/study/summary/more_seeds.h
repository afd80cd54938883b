#pragma once
// What further seeds would cost and settle, by the times and the spread of the runs that there are.
#include <cstdint>
#include <string>
#include <vector>

#include "phasor/study/records/study_results.h"
#include "phasor/study/summary/comparison.h"

namespace phasor {

struct OpenQuestion {
  std::string what;         // "rope - alibi on distance, clean"
  double difference = 0.0;  // as found so far
  // With so many seeds on each side 4 studies of 5 settle it: that the difference is not 0, where the one found is the
  // true one, or that there is none of interest, where there is none. 0: more than kMostSeeds.
  int64_t to_tell = 0, to_rule_out = 0;
};

struct MoreSeeds {
  static constexpr int64_t kMostSeeds = 100;

  int64_t seeds = 0;               // that cells have now
  int64_t runs = 0;                // that one further seed of every cell is
  double seconds = 0.0;            // of their training, each
  std::vector<OpenQuestion> open;  // comparisons of test accuracy without an answer, those settled first in front
};

MoreSeeds more_seeds(const StudyResults& results, const std::vector<Comparison>& comparisons);

// Nothing without a finished run. `at_once`: runs; `folder`: of the study.
std::string more_seeds_text(const MoreSeeds& more, int64_t at_once, const std::string& folder);

}  // namespace phasor
