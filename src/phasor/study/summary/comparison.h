#pragma once
// Planned comparisons: one number of two cells' runs. Only converged runs take part; every other one is counted.
//
// The test is a permutation of the runs' labels, two-sided, exact as long as all splits can be counted (10 against 10).
// Effect sizes stand beside it: Cliff's delta, Hedges' g and the difference of means with Welch's interval. All are
// positive where the first cell has more.
//
// Steps to 90 %: a run that never got there counts as one step more than the longest run of the two cells, the worst of
// all. Ranks and test are then right; means and differences of means are no numbers of steps where `never` is not 0.
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "phasor/statistics/bootstrap.h"
#include "phasor/statistics/effect.h"
#include "phasor/statistics/permutation.h"
#include "phasor/study/records/study_results.h"
#include "phasor/study/summary/compared_number.h"

namespace phasor {

inline constexpr double kComparisonLevel = 0.05;
inline constexpr size_t kMostComparisons = 6;  // in a family

struct ComparedCell {
  CellName cell;
  std::vector<double> values;  // of converged runs
  double mean = std::numeric_limits<double>::quiet_NaN();
  int64_t unconverged = 0, failed = 0;  // runs that are not among the values
  int64_t unmeasured = 0;               // converged runs for which the number is not defined, likewise
  int64_t never = 0;                    // of the values: runs that never reached 90 %
};

struct Comparison {
  ComparedNumber number;
  ComparedCell first, second;
  // None of these with fewer than two values on a side.
  std::optional<statistics::PermutationTest> test;
  std::optional<statistics::BootstrapInterval> cliffs_delta;
  std::optional<double> hedges_g;  // nor where nothing varies
  std::optional<statistics::MeanInterval> difference;
  // By adjust().
  std::optional<double> holm;
  int64_t family = 1;  // comparisons that holm is adjusted for

  std::optional<double> adjusted_p() const;  // holm, or p where nothing was adjusted
  bool told() const;                         // adjusted p <= 0.05
};

Comparison compare(const CellRuns& first, const CellRuns& second, const ComparedNumber& number);

// Holm's correction over a family of at most six: more is an Error. One without a test counts with p = 1, so that the
// correction does not depend on how runs came out.
void adjust(std::vector<Comparison>& family);

struct PlannedComparison {
  CellName first, second;
  ComparedNumber number;
};
// A family, adjusted. Throws Error for a cell that is not part of the study.
std::vector<Comparison> compare_all(const StudyResults& results, const std::vector<PlannedComparison>& planned);

}  // namespace phasor
