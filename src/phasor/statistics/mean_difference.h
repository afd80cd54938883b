#pragma once
// Two samples of runs against each other: the one interval that decides, and how it is read.
//
// With v = max(s^2 / n, floor) for the variance of each side's mean, the interval is
//   difference +- t(level, freedom) sqrt(v_x + v_y),  freedom = (v_x + v_y)^2 / (v_x^2 / (n_x - 1) + v_y^2 / (n_y - 1))
// that is Welch's, with a floor. The floor is what is known of a mean's error besides the spread of the runs: three
// accuracies of 100 % have no spread, and yet their test sets say no more than some 0.02 points.
//
// A side at its floor keeps n - 1 degrees of freedom. With infinitely many, as for a variance that is known, runs that
// lie close by chance would get a short interval: docs/results/rules.md has the error rates of both.
#include <cstdint>
#include <string_view>

#include "phasor/statistics/sample.h"

namespace phasor::statistics {

// Fewer runs on a side decide nothing.
inline constexpr int64_t kLeastRunsToCompare = 3;

struct RunSample {
  Sample values;                // one of each run
  double variance_floor = 0.0;  // of the mean, in the square of the values' unit; 0: none is known
};

// The floor for mean accuracies (0 to 1) that were measured with so many different test samples: p (1 - p) / samples
// with p = (hits + 1) / (samples + 2). It is 0 for no samples. For values in per cent, multiply by 100^2.
double accuracy_variance_floor(double mean, int64_t samples);

struct MeanDifference {
  double difference = 0.0;  // mean(x) - mean(y)
  double low = 0.0;         // infinite ends where a side has one value
  double high = 0.0;
  double freedom = 0.0;  // degrees of; NaN where there are none
  double p = 1.0;        // two-sided: at most 1 - level where the interval excludes 0, for Holm's correction
  double level = 0.95;
  int64_t fewest = 0;       // values on the smaller side
  bool degenerate = false;  // neither spread nor a floor: the interval is a point, which is no evidence of precision

  // Whether it may be read at all: at least three runs on each side, and something to judge by.
  bool decides() const { return fewest >= kLeastRunsToCompare && !degenerate; }
  bool significant() const { return decides() && (low > 0.0 || high < 0.0); }  // the interval excludes 0
  double width() const { return high - low; }

  // Ends cut off at what is possible: -1 and 1 for differences of accuracies. It reads the same afterwards.
  MeanDifference within(double lowest, double highest) const;
  // In another unit: 100 makes points of shares. factor > 0.
  MeanDifference scaled(double factor) const;
};

MeanDifference compare_means(const RunSample& x, const RunSample& y, double level = 0.95);

// One mean by the same rule, for intervals in tables and tests against a constant: compare with `difference` = mean.
MeanDifference mean_of_runs(const RunSample& x, double level = 0.95);

// With a margin, the smallest difference that anybody would care about (1 point for accuracies). Exactly one applies.
enum class DifferenceReading : uint8_t {
  of_interest,      // larger than the margin: the interval lies wholly beyond it, on one side
  significant,      // not 0; whether it is larger than the margin is open
  not_of_interest,  // smaller than the margin: the interval lies within it. It may exclude 0
  open,             // none of these, or too few runs
};
DifferenceReading read(const MeanDifference& difference, double margin);
std::string_view name(DifferenceReading reading);  // "of interest", "significant", "no difference of interest", "open"

}  // namespace phasor::statistics
