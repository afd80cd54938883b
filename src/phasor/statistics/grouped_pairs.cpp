#include "phasor/statistics/grouped_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "phasor/base/error.h"
#include "phasor/statistics/summary.h"

namespace phasor::statistics {

GroupedPairs group_pairs(Sample x, Sample y, std::span<const int64_t> groups) {
  require_paired(x, y, "a correlation");
  if (groups.size() != x.size()) fail("{} group labels do not fit {} pairs", groups.size(), x.size());
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return groups[a] < groups[b]; });
  GroupedPairs pairs;
  for (const size_t i : order) {
    if (pairs.labels.empty() || pairs.labels.back() != groups[i]) pairs.sizes.push_back(0);
    ++pairs.sizes.back();
    pairs.x.push_back(x[i]);
    pairs.y.push_back(y[i]);
    pairs.labels.push_back(groups[i]);
  }
  return pairs;
}

std::vector<double> centred(CorrelationKind kind, Sample values, std::span<const int64_t> labels) {
  std::vector<double> result(values.begin(), values.end());
  for (size_t first = 0; first < values.size();) {
    size_t end = first + 1;
    while (end < values.size() && labels[end] == labels[first]) ++end;
    const std::span<double> run(result.data() + first, end - first);
    if (kind == CorrelationKind::spearman) {
      const std::vector<double> ranks = mid_ranks(run);
      std::copy(ranks.begin(), ranks.end(), run.begin());
    }
    const double centre = mean(run);
    for (double& value : run) value -= centre;
    first = end;
  }
  return result;
}

double cosine(Sample x, Sample y) {
  // Scaled to a largest entry of 1, so that squares neither overflow nor vanish.
  double largest_x = 0.0;
  double largest_y = 0.0;
  for (size_t i = 0; i < x.size(); ++i) {
    largest_x = std::max(largest_x, std::abs(x[i]));
    largest_y = std::max(largest_y, std::abs(y[i]));
  }
  if (largest_x == 0.0 || largest_y == 0.0) return std::numeric_limits<double>::quiet_NaN();
  double xy = 0.0;
  double xx = 0.0;
  double yy = 0.0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double a = x[i] / largest_x;
    const double b = y[i] / largest_y;
    xy += a * b;
    xx += a * a;
    yy += b * b;
  }
  return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

}  // namespace phasor::statistics
