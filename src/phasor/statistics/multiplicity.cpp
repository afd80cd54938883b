#include "phasor/statistics/multiplicity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "phasor/base/error.h"

namespace phasor::statistics {
namespace {

// Indices of the values, in rising order; equal ones as they stand.
std::vector<size_t> rising_order(Sample values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  return order;
}

// So that larger is more extreme.
double turned(double statistic, Alternative alternative) {
  if (alternative == Alternative::greater) return statistic;
  return alternative == Alternative::less ? -statistic : std::abs(statistic);
}

}  // namespace

std::vector<double> holm(Sample p) {
  require_values(p, "Holm's correction");
  for (size_t i = 0; i < p.size(); ++i) {
    if (p[i] < 0.0 || p[i] > 1.0) fail("a p-value lies between 0 and 1, number {} is {}", i, p[i]);
  }
  std::vector<double> adjusted(p.size());
  double largest = 0.0;
  double left = static_cast<double>(p.size());
  for (const size_t i : rising_order(p)) {
    largest = std::max(largest, std::min(1.0, left * p[i]));
    adjusted[i] = largest;
    left -= 1.0;
  }
  return adjusted;
}

std::vector<double> max_t(const JointDraws& statistics, Alternative alternative) {
  const size_t count = statistics.observed.size();
  require_values(statistics.observed, "max-T");
  require_values(statistics.draws, "max-T");
  if (statistics.draws.size() % count != 0) {
    fail("{} drawn statistics are no whole number of draws of {} hypotheses", statistics.draws.size(), count);
  }
  std::vector<double> observed(count);
  for (size_t h = 0; h < count; ++h) observed[h] = turned(statistics.observed[h], alternative);
  const std::vector<size_t> order = rising_order(observed);

  // Each hypothesis is held against the largest statistic among itself and all weaker ones.
  const size_t draws = statistics.draws.size() / count;
  std::vector<int64_t> exceeded(count, 0);
  for (size_t b = 0; b < draws; ++b) {
    double largest = -std::numeric_limits<double>::infinity();
    for (const size_t h : order) {
      largest = std::max(largest, turned(statistics.draws[b * count + h], alternative));
      exceeded[h] += largest >= observed[h] - statistics.tolerance;
    }
  }
  std::vector<double> adjusted(count);
  const int64_t observed_too = statistics.exact ? 0 : 1;
  double largest = 0.0;
  for (size_t rank = count; rank-- > 0;) {
    const size_t h = order[rank];
    const double p = static_cast<double>(exceeded[h] + observed_too) /
                     static_cast<double>(draws + static_cast<size_t>(observed_too));
    largest = std::max(largest, p);
    adjusted[h] = largest;
  }
  return adjusted;
}

}  // namespace phasor::statistics
