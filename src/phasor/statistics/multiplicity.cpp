#include "phasor/statistics/multiplicity.h"

#include <algorithm>
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

}  // namespace phasor::statistics
