#pragma once
// Counts the arrangements of a permutation test that are at least as extreme as the observed one.
#include <cstdint>

#include "phasor/statistics/permutation.h"

namespace phasor::statistics {

class Extremes {
 public:
  Extremes(double observed, double tolerance, Alternative alternative);
  void add(double statistic);
  // All arrangements were added, the observed one among them.
  PermutationTest exact(double smallest_p) const;
  // Random ones were added.
  PermutationTest drawn(double smallest_p) const;

 private:
  double turned(double statistic) const;

  double observed_;
  double tolerance_;
  Alternative alternative_;
  int64_t count_ = 0;
  int64_t extreme_ = 0;
};

void require_options(const PermutationOptions& options);

}  // namespace phasor::statistics
