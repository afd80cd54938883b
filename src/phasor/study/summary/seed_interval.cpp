#include "phasor/study/summary/seed_interval.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "phasor/statistics/mean_difference.h"
#include "phasor/statistics/summary.h"

namespace phasor {

SeedInterval seed_interval(std::vector<double> values, std::optional<statistics::Interval> range) {
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite), [](double x) { return std::isfinite(x); });
  SeedInterval result{.values = std::move(values), .count = std::ssize(finite)};
  if (finite.empty()) return result;
  result.mean = statistics::mean(finite);
  if (finite.size() == 1) return result;
  result.deviation = statistics::standard_deviation(finite);
  result.degenerate = std::adjacent_find(finite.begin(), finite.end(), std::not_equal_to<>()) == finite.end();
  statistics::MeanDifference found = statistics::mean_of_runs({finite});
  if (range) found = found.within(range->low, range->high);
  result.low = found.low;
  result.high = found.high;
  return result;
}

}  // namespace phasor
