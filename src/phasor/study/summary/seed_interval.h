#pragma once
// A mean over seeds with its 95 % interval. Every such mean of a study comes from here, so that all are made alike: by
// Student's t, and without interval for one value, which says nothing about spread. No resampling covers so well with
// five or ten values (the table in statistics/bootstrap.h).
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "phasor/statistics/sample.h"

namespace phasor {

struct SeedInterval {
  std::vector<double> values;  // one per seed, in the order of the runs; NaN where a seed has none
  int64_t count = 0;           // of the values that are finite; all else here is theirs
  double mean = std::numeric_limits<double>::quiet_NaN();
  double deviation = std::numeric_limits<double>::quiet_NaN();  // by count - 1
  std::optional<double> low, high;
  bool degenerate = false;  // all values are equal: the interval is that point, which is no evidence of precision
};

// Ends of intervals are moved into `range`, where the number has one: accuracies lie between 0 and 1.
SeedInterval seed_interval(std::vector<double> values, std::optional<statistics::Interval> range = {});

inline constexpr statistics::Interval kShareRange{0.0, 1.0};
inline constexpr statistics::Interval kDifferenceRange{-1.0, 1.0};  // of shares
inline constexpr statistics::Interval kPositiveRange{0.0, std::numeric_limits<double>::infinity()};

}  // namespace phasor
