#pragma once
// Location and spread of one sample.
#include <cstdint>

#include "phasor/statistics/sample.h"

namespace phasor::statistics {

double mean(Sample sample);  // exact where all values are equal
double median(Sample sample);
double variance(Sample sample);            // by n - 1; NaN for one value
double standard_deviation(Sample sample);  // its root

// The median distance from the median. Not scaled: for normal data it is 0.6745 deviations.
double median_absolute_deviation(Sample sample);

// Type 7 of Hyndman and Fan (1996), the default of R and NumPy: linear between the order statistics, which stand at
// (i - 1) / (n - 1). `probability` in [0, 1].
double quantile(Sample sample, double probability);
double quantile_of_sorted(Sample sorted, double probability);

struct Summary {
  int64_t count = 0;
  double mean = 0.0;
  double deviation = 0.0;  // NaN for one value
  double minimum = 0.0;
  double lower_quartile = 0.0;
  double median = 0.0;
  double upper_quartile = 0.0;
  double maximum = 0.0;
  double median_absolute_deviation = 0.0;
};

Summary summarize(Sample sample);

}  // namespace phasor::statistics
