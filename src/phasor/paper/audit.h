#pragma once
// Which choice of the released protocol makes the difference? For an encoding and a base protocol, every confound is
// switched to the other protocol's value alone: `released` but for one choice, and `clean` but for one.
//
// The audit describes. Runs that have not converged stay in, and are counted: under `released` few converge, and a
// switch that lets them would else look like one that does nothing.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "phasor/statistics/effect.h"
#include "phasor/statistics/permutation.h"
#include "phasor/study/records/study_results.h"

namespace phasor::paper {

// One number of the runs with a switch against those of the base.
struct AuditChange {
  std::vector<double> base, switched;  // by seed
  double base_mean = 0.0, mean = 0.0;
  statistics::MeanInterval change;   // mean - base_mean, 95 % by Welch
  statistics::PermutationTest test;  // exact, two-sided
  double holm = 1.0;                 // over the switches of this encoding, base and number

  // By test and by interval, as claims ask for it: one run far from the others can part the two.
  bool is_significant() const;
};

struct AuditCounts {
  int64_t planned = 0, finished = 0, unconverged = 0, failed = 0;
  // Verdicts by position of finished runs.
  int64_t deposit = 0, partial = 0, spread = 0, not_used = 0, undetermined = 0;
};

struct AuditRow {
  std::string name;  // of the confound
  std::string what;
  AuditCounts counts;
  std::optional<double> ceiling;  // the best test accuracy that its samples allow, %
  // Nothing where a side has fewer than two runs with the number.
  std::optional<AuditChange> accuracy;  // test accuracy, %
  // Largest share of a head in its layer's positional drops, of runs above their floor in which that layer is used.
  std::optional<AuditChange> max_share;
};

struct AuditBlock {
  std::string encoding, base;
  AuditCounts base_counts;
  std::optional<double> base_accuracy, base_max_share;  // means
  std::optional<double> base_ceiling;                   // as in AuditRow
  std::vector<AuditRow> rows;
  std::string finding;  // in a sentence or two
};

// One block per audited encoding and base of which the study has switched cells; empty where there are none.
std::vector<AuditBlock> audit(const StudyResults& results);

}  // namespace phasor::paper
