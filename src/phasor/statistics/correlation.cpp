#include "phasor/statistics/correlation.h"

#include <algorithm>
#include <numeric>

#include "phasor/base/error.h"
#include "phasor/statistics/grouped_pairs.h"

namespace phasor::statistics {
namespace {

std::vector<int64_t> one_group(size_t count) { return std::vector<int64_t>(count, 0); }

}  // namespace

std::vector<double> mid_ranks(Sample sample) {
  require_values(sample, "a ranking");
  std::vector<size_t> order(sample.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return sample[a] < sample[b]; });
  std::vector<double> ranks(sample.size());
  for (size_t first = 0; first < order.size();) {
    size_t end = first + 1;
    while (end < order.size() && sample[order[end]] == sample[order[first]]) ++end;
    for (size_t i = first; i < end; ++i) ranks[order[i]] = 0.5 * static_cast<double>(first + 1 + end);
    first = end;
  }
  return ranks;
}

double correlation(CorrelationKind kind, Sample x, Sample y) {
  return correlation_within(kind, x, y, one_group(x.size()));
}

double correlation_within(CorrelationKind kind, Sample x, Sample y, std::span<const int64_t> groups) {
  const GroupedPairs pairs = group_pairs(x, y, groups);
  return cosine(centred(kind, pairs.x, pairs.labels), centred(kind, pairs.y, pairs.labels));
}

BootstrapInterval correlation_interval(CorrelationKind kind, Sample x, Sample y, const BootstrapOptions& options) {
  return correlation_within_interval(kind, x, y, one_group(x.size()), options);
}

BootstrapInterval correlation_within_interval(CorrelationKind kind, Sample x, Sample y, std::span<const int64_t> groups,
                                              const BootstrapOptions& options) {
  const GroupedPairs pairs = group_pairs(x, y, groups);
  std::vector<double> drawn_x;
  std::vector<double> drawn_y;
  std::vector<int64_t> labels;
  const auto evaluate = [&](std::span<const uint32_t> rows, std::span<double> values) {
    drawn_x.clear();
    drawn_y.clear();
    labels.clear();
    for (const uint32_t row : rows) {
      drawn_x.push_back(pairs.x[row]);
      drawn_y.push_back(pairs.y[row]);
      labels.push_back(pairs.labels[row]);
    }
    values[0] = cosine(centred(kind, drawn_x, labels), centred(kind, drawn_y, labels));
  };
  return bootstrap_rows(pairs.sizes, 1, evaluate, options)[0].within(-1.0, 1.0);
}

}  // namespace phasor::statistics
