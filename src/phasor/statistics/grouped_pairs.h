#pragma once
// Pairs ordered by group, for correlations within groups.
#include <cstdint>
#include <span>
#include <vector>

#include "phasor/statistics/correlation.h"

namespace phasor::statistics {

struct GroupedPairs {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<int64_t> labels;  // rising
  std::vector<int64_t> sizes;   // of the runs of equal labels
};

// Stable within a group. Throws Error where the three do not match.
GroupedPairs group_pairs(Sample x, Sample y, std::span<const int64_t> groups);

// Values or mid ranks, less their mean, in each run of equal labels.
std::vector<double> centred(CorrelationKind kind, Sample values, std::span<const int64_t> labels);

// x . y / (|x| |y|); NaN where one of them is 0.
double cosine(Sample x, Sample y);

}  // namespace phasor::statistics
