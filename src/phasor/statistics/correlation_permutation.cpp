#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "phasor/base/error.h"
#include "phasor/random/distributions.h"
#include "phasor/statistics/correlation.h"
#include "phasor/statistics/extremes.h"
#include "phasor/statistics/grouped_pairs.h"
#include "phasor/statistics/resampling_stream.h"

namespace phasor::statistics {
namespace {

using Order = std::vector<uint32_t>;

double count_orders(std::span<const int64_t> sizes) {
  double orders = 1.0;
  for (const int64_t size : sizes) {
    if (size < 1) fail("a group of pairs has at least one, got {}", size);
    for (int64_t i = 2; i <= size; ++i) orders *= static_cast<double>(i);
  }
  return orders;
}

// Counts like an odometer whose wheels are the groups; false when all are back at the start.
bool next_order(Order& order, std::span<const int64_t> sizes) {
  auto first = order.begin();
  for (const int64_t size : sizes) {
    if (std::next_permutation(first, first + size)) return true;
    first += size;
  }
  return false;
}

void draw_order(const RandomStream& stream, std::span<const int64_t> sizes, Order& order) {
  Draws draws(stream);
  std::iota(order.begin(), order.end(), 0u);
  auto first = order.begin();
  for (const int64_t size : sizes) {
    for (int64_t i = size - 1; i > 0; --i) {
      std::swap(first[i], first[draws.below(static_cast<uint32_t>(i + 1))]);
    }
    first += size;
  }
}

}  // namespace

double smallest_p_correlation(std::span<const int64_t> group_sizes, Alternative alternative, CorrelationKind kind) {
  if (group_sizes.empty()) fail("a test of correlation needs at least one group of pairs");
  const bool symmetric =
      kind == CorrelationKind::spearman || *std::max_element(group_sizes.begin(), group_sizes.end()) <= 2;
  const bool mirrored = alternative == Alternative::two_sided && symmetric;
  return std::min(1.0, (mirrored ? 2.0 : 1.0) / count_orders(group_sizes));
}

PermutationTest permute_correlation(CorrelationKind kind, Sample x, Sample y, std::span<const int64_t> groups,
                                    const PermutationOptions& options) {
  require_options(options);
  const GroupedPairs pairs = group_pairs(x, y, groups);
  const double smallest = smallest_p_correlation(pairs.sizes, options.alternative, kind);
  const std::vector<double> centred_x = centred(kind, pairs.x, pairs.labels);
  const std::vector<double> centred_y = centred(kind, pairs.y, pairs.labels);
  const double observed = cosine(centred_x, centred_y);
  if (std::isnan(observed)) return {.statistic = observed, .p = 1.0, .p_range = {1.0, 1.0}, .smallest_p = smallest};

  std::vector<double> permuted(centred_y.size());
  Order order(centred_y.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto permuted_correlation = [&] {
    for (size_t i = 0; i < order.size(); ++i) permuted[i] = centred_y[order[i]];
    return cosine(centred_x, permuted);
  };
  const double tolerance = 8.0 * std::numeric_limits<double>::epsilon() * static_cast<double>(order.size());
  Extremes extremes(observed, tolerance, options.alternative);
  if (count_orders(pairs.sizes) <= static_cast<double>(options.most_exact)) {
    do extremes.add(permuted_correlation());
    while (next_order(order, pairs.sizes));
    return extremes.exact(smallest);
  }
  for (int64_t b = 0; b < options.draws; ++b) {
    draw_order(resampling_stream(options.seed, Drawn::orders, b), pairs.sizes, order);
    extremes.add(permuted_correlation());
  }
  return extremes.drawn(smallest);
}

PermutationTest permute_correlation(CorrelationKind kind, Sample x, Sample y, const PermutationOptions& options) {
  return permute_correlation(kind, x, y, std::vector<int64_t>(x.size(), 0), options);
}

}  // namespace phasor::statistics
