#include "phasor/statistics/extremes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/base/error.h"
#include "phasor/statistics/proportion.h"

namespace phasor::statistics {

Extremes::Extremes(double observed, double tolerance, Alternative alternative)
    : observed_(observed), tolerance_(tolerance), alternative_(alternative) {
  if (std::isnan(observed)) fail("the statistic of a permutation test is undefined for the samples as observed");
}

// So that larger is more extreme.
double Extremes::turned(double statistic) const {
  if (alternative_ == Alternative::greater) return statistic;
  return alternative_ == Alternative::less ? -statistic : std::abs(statistic);
}

void Extremes::add(double statistic) {
  if (std::isnan(statistic)) fail("the statistic of a permutation test is undefined for arrangement {}", count_);
  ++count_;
  extreme_ += turned(statistic) >= turned(observed_) - tolerance_;
}

PermutationTest Extremes::exact(double smallest_p) const {
  const double p = static_cast<double>(extreme_) / static_cast<double>(count_);
  return {.statistic = observed_,
          .p = p,
          .p_range = {p, p},
          .smallest_p = smallest_p,
          .arrangements = count_,
          .exact = true};
}

PermutationTest Extremes::drawn(double smallest_p) const {
  constexpr double kRangeLevel = 0.99;
  return {.statistic = observed_,
          .p = static_cast<double>(extreme_ + 1) / static_cast<double>(count_ + 1),
          .p_range = clopper_pearson(extreme_, count_, kRangeLevel),
          .smallest_p = std::max(smallest_p, 1.0 / static_cast<double>(count_ + 1)),
          .arrangements = count_,
          .exact = false};
}

void require_options(const PermutationOptions& options) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (options.draws < 1 || options.draws > kMost) {
    fail("a permutation test draws 1 to {} arrangements, got {}", kMost, options.draws);
  }
  if (options.most_exact < 0 || options.most_exact > kMost) {
    fail("a permutation test counts at most {} arrangements, got {}", kMost, options.most_exact);
  }
}

}  // namespace phasor::statistics
