#pragma once
// Intervals of a proportion from a count of successes, and the exact test of paired successes.
#include <cstdint>

#include "phasor/statistics/sample.h"

namespace phasor::statistics {

// Exact (Clopper and Pearson 1934): never covers less than the level.
Interval clopper_pearson(int64_t successes, int64_t trials, double level = 0.95);
// Its one-sided bounds: k of k successes bound the proportion below by (1 - level)^(1 / k).
double clopper_pearson_lower(int64_t successes, int64_t trials, double level = 0.95);
double clopper_pearson_upper(int64_t successes, int64_t trials, double level = 0.95);

// The same N examples answered twice: `lost` were right before and wrong after, `won` the other way round.
struct PairedAccuracy {
  double drop = 0.0;            // (lost - won) / N
  double standard_error = 0.0;  // sqrt(lost + won - (lost - won)^2 / N) / N
  double p = 1.0;               // McNemar's test, exact, two-sided
};
PairedAccuracy mcnemar(int64_t lost, int64_t won, int64_t examples);

}  // namespace phasor::statistics
