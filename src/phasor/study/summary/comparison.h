#pragma once
// Planned comparisons: one number of two cells' runs. All finished runs take part, also those that were still
// improving.
//
// One interval decides (statistics/mean_difference.h), with three runs or more on each side. From five on a permutation
// test of the same runs stands beside it; it decides nothing. All differences are positive where the first cell has
// more.
//
// Steps to 90 %: a run that never got there counts as one step more than the longest run of the two cells. The means
// are then those of the steps to 90 % as far as they were trained, and no answer gives their difference as a number of
// steps.
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "phasor/statistics/mean_difference.h"
#include "phasor/statistics/permutation.h"
#include "phasor/study/records/study_results.h"
#include "phasor/study/summary/cell_numbers.h"
#include "phasor/study/summary/compared_number.h"

namespace phasor {

inline constexpr double kComparisonLevel = 0.05;
inline constexpr size_t kMostComparisons = 6;  // in a family
// From here on a permutation test can say anything: 2 / C(2n, n) is 0.008 for five against five, 0.029 for four.
inline constexpr size_t kFewestPermuted = 5;

struct ComparedCell {
  CellName cell;
  std::vector<double> values;  // of finished runs
  double mean = std::numeric_limits<double>::quiet_NaN();
  double variance_floor = 0.0;         // of the mean
  int64_t unconverged = 0;             // of the values: runs that were still improving
  int64_t never = 0;                   // of the values: runs that never reached 90 %
  int64_t failed = 0;                  // runs that are not among the values
  int64_t unmeasured = 0;              // finished runs for which the number is not defined, likewise
  std::optional<SuccessRate> success;  // of the cell
  bool mixed = false;                  // some of its runs learned the task and some did not: CellNumbers::mixed
  bool extended = false;               // some of the values are of runs that were added to the study later
};

struct Comparison {
  ComparedNumber number;
  ComparedCell first, second;
  double margin = 0.0;  // the smallest difference of interest
  // Nothing with fewer than two values on a side.
  std::optional<statistics::MeanDifference> difference;
  statistics::DifferenceReading reading = statistics::DifferenceReading::open;
  // Nothing with fewer than five values on a side.
  std::optional<statistics::PermutationTest> test;
  // The difference without runs that were still improving, where that turns the order and one of the two differences is
  // larger than the margin.
  std::optional<double> turned;
  // By adjust(), of the interval's p; nothing where the interval decides nothing.
  std::optional<double> holm;
  int64_t family = 1;     // comparisons that holm is adjusted for
  bool post_hoc = false;  // not one of the study's planned comparisons

  // The interval excludes 0.
  bool significant() const { return difference && difference->significant(); }
  // It does, and might by chance in one of so many comparisons.
  bool lost_to_holm() const { return significant() && holm && *holm > kComparisonLevel; }
  // It rests on runs that were added to the study later.
  bool extension() const { return first.extended || second.extended; }
  // The permutation test says otherwise than the interval.
  bool disputed() const { return test && difference && (test->p <= kComparisonLevel) != significant(); }
};

Comparison compare(const CellRuns& first, const CellRuns& second, const ComparedNumber& number);

// Holm's correction over a family of at most six: more is an Error. One that decides nothing counts with p = 1, so that
// the correction does not depend on how runs came out.
void adjust(std::vector<Comparison>& family);

struct PlannedComparison {
  CellName first, second;
  ComparedNumber number;
};
// A family, adjusted. Throws Error for a cell that is not part of the study.
std::vector<Comparison> compare_all(const StudyResults& results, const std::vector<PlannedComparison>& planned);

}  // namespace phasor
