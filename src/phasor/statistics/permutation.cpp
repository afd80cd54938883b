#include "phasor/statistics/permutation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "phasor/base/error.h"
#include "phasor/random/distributions.h"
#include "phasor/statistics/extremes.h"
#include "phasor/statistics/resampling_stream.h"
#include "phasor/statistics/summary.h"

namespace phasor::statistics {
namespace {

// How many ways there are to choose; a double, for it may be beyond all integers.
double binomial(int64_t n, int64_t k) {
  double ways = 1.0;  // an integer after every step
  for (int64_t i = 1; i <= std::min(k, n - k); ++i)
    ways = ways * static_cast<double>(n - i + 1) / static_cast<double>(i);
  return ways;
}

// The next choice in lexicographic order; false after the last.
bool next_choice(std::vector<uint32_t>& chosen, uint32_t count) {
  const auto size = static_cast<uint32_t>(chosen.size());
  uint32_t i = size;
  while (i > 0 && chosen[i - 1] == count - size + i - 1) --i;
  if (i == 0) return false;
  ++chosen[i - 1];
  for (uint32_t j = i; j < size; ++j) chosen[j] = chosen[j - 1] + 1;
  return true;
}

// Visits every way to choose `size` of `count`, or random ones; true if every.
template <class Visit>
bool visit_choices(uint32_t count, uint32_t size, const PermutationOptions& options, const Visit& visit) {
  if (binomial(count, size) <= static_cast<double>(options.most_exact)) {
    std::vector<uint32_t> chosen(size);
    std::iota(chosen.begin(), chosen.end(), 0u);
    do visit(chosen);
    while (next_choice(chosen, count));
    return true;
  }
  std::vector<uint32_t> order(count);
  std::vector<uint32_t> chosen(size);
  for (int64_t b = 0; b < options.draws; ++b) {
    Draws draws(resampling_stream(options.seed, Drawn::splits, b));
    std::iota(order.begin(), order.end(), 0u);
    for (uint32_t i = 0; i < size; ++i) {
      std::swap(order[i], order[i + draws.below(count - i)]);
      chosen[i] = order[i];
    }
    std::sort(chosen.begin(), chosen.end());  // equal choices give equal bits
    visit(chosen);
  }
  return false;
}

// One bit per example, set where its sign is turned.
using Signs = std::vector<uint32_t>;

// Visits every assignment of signs, or random ones; true if every.
template <class Visit>
bool visit_signs(size_t count, const PermutationOptions& options, const Visit& visit) {
  Signs signs(count);
  if (std::ldexp(1.0, static_cast<int>(std::min<size_t>(count, 100))) <= static_cast<double>(options.most_exact)) {
    for (uint64_t bits = 0; bits < (uint64_t{1} << count); ++bits) {
      for (size_t i = 0; i < count; ++i) signs[i] = static_cast<uint32_t>(bits >> i) & 1u;
      visit(signs);
    }
    return true;
  }
  for (int64_t b = 0; b < options.draws; ++b) {
    const RandomStream stream = resampling_stream(options.seed, Drawn::signs, b);
    constexpr size_t kBits = 128;
    for (size_t first = 0; first < count; first += kBits) {
      const PhiloxBlock block = stream.block(first / kBits);
      for (size_t i = first; i < std::min(count, first + kBits); ++i) {
        signs[i] = block[i % kBits / 32] >> (i % 32) & 1u;
      }
    }
    visit(signs);
  }
  return false;
}

double signed_sum(Sample values, const Signs& signs) {
  double sum = 0.0;
  for (size_t i = 0; i < values.size(); ++i) sum += signs[i] != 0 ? -values[i] : values[i];
  return sum;
}

// What sums of n values of this size lose, with room for the few operations around them.
double rounding(size_t count, double largest) {
  return 8.0 * std::numeric_limits<double>::epsilon() * static_cast<double>(count) * largest;
}

double largest_size(Sample values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

// What a statistic of unknown making may lose. An observed 0 that rounding left at 1e-17 has no scale of its own, so
// the typical size of all arrangements counts too; the typical one, for a quotient may have huge ones.
double rounding_among(std::vector<double> statistics, double observed) {
  constexpr double kRelative = 1e-12;
  for (double& value : statistics) value = std::isnan(value) ? 0.0 : std::abs(value);
  const auto middle = statistics.begin() + std::ssize(statistics) / 2;
  std::nth_element(statistics.begin(), middle, statistics.end());
  const double typical = std::isfinite(*middle) ? *middle : 0.0;
  return kRelative * std::max(typical, std::isfinite(observed) ? std::abs(observed) : 0.0);
}

uint32_t pooled_count(Sample x, Sample y) {
  require_values(x, "a permutation test");
  require_values(y, "a permutation test");
  if (x.size() + y.size() > std::numeric_limits<uint32_t>::max()) {
    fail("a permutation test takes at most 2^32 - 1 values, got {}", x.size() + y.size());
  }
  return static_cast<uint32_t>(x.size() + y.size());
}

}  // namespace

double smallest_p_two_samples(int64_t x, int64_t y, Alternative alternative) {
  if (x < 1 || y < 1) fail("a permutation test needs two samples, got {} and {} values", x, y);
  const bool mirrored = alternative == Alternative::two_sided && x == y;
  return (mirrored ? 2.0 : 1.0) / binomial(x + y, x);
}

double smallest_p_signs(int64_t differences, Alternative alternative) {
  if (differences < 1) fail("a test of signs needs at least one difference, got {}", differences);
  const int mirrored = alternative == Alternative::two_sided ? 1 : 0;
  return std::ldexp(1.0, static_cast<int>(std::max<int64_t>(mirrored - differences, -2000)));
}

PermutationTest permute_two_samples(Sample x, Sample y, const PermutationOptions& options) {
  require_options(options);
  const uint32_t count = pooled_count(x, y);
  // Shifting all values changes no difference of means and takes a common offset out of its rounding.
  std::vector<double> pooled(x.begin(), x.end());
  pooled.insert(pooled.end(), y.begin(), y.end());
  const double origin = pooled[0];
  for (double& value : pooled) value -= origin;
  const double total = std::accumulate(pooled.begin(), pooled.end(), 0.0);
  const auto size_x = static_cast<double>(x.size());
  const auto size_y = static_cast<double>(y.size());
  const auto difference = [&](const std::vector<uint32_t>& chosen) {
    double sum = 0.0;
    for (const uint32_t i : chosen) sum += pooled[i];
    return sum / size_x - (total - sum) / size_y;
  };
  std::vector<uint32_t> first(x.size());
  std::iota(first.begin(), first.end(), 0u);
  Extremes extremes(difference(first), rounding(count, largest_size(pooled)), options.alternative);
  const bool exact = visit_choices(count, static_cast<uint32_t>(x.size()), options,
                                   [&](const std::vector<uint32_t>& chosen) { extremes.add(difference(chosen)); });
  const double smallest = smallest_p_two_samples(std::ssize(x), std::ssize(y), options.alternative);
  return exact ? extremes.exact(smallest) : extremes.drawn(smallest);
}

PermutationTest permute_two_samples(Sample x, Sample y, const std::function<double(Sample, Sample)>& statistic,
                                    const PermutationOptions& options) {
  require_options(options);
  const uint32_t count = pooled_count(x, y);
  std::vector<double> pooled(x.begin(), x.end());
  pooled.insert(pooled.end(), y.begin(), y.end());
  std::vector<double> statistics;
  std::vector<double> drawn_x(x.size());
  std::vector<double> drawn_y;
  const auto visit = [&](const std::vector<uint32_t>& chosen) {
    drawn_y.clear();
    size_t next = 0;
    for (uint32_t i = 0; i < count; ++i) {
      if (next < chosen.size() && chosen[next] == i) {
        drawn_x[next++] = pooled[i];
      } else {
        drawn_y.push_back(pooled[i]);
      }
    }
    statistics.push_back(statistic(drawn_x, drawn_y));
  };
  const bool exact = visit_choices(count, static_cast<uint32_t>(x.size()), options, visit);
  const double observed = statistic(x, y);
  Extremes extremes(observed, rounding_among(statistics, observed), options.alternative);
  for (const double value : statistics) extremes.add(value);
  // A statistic of one's own need not turn its sign where samples change places: no mirror image is counted on.
  const double smallest = smallest_p_two_samples(std::ssize(x), std::ssize(y), Alternative::greater);
  return exact ? extremes.exact(smallest) : extremes.drawn(smallest);
}

PermutationTest flip_signs(Sample differences, const PermutationOptions& options) {
  require_options(options);
  require_values(differences, "a test of signs");
  const auto count = static_cast<double>(differences.size());
  const auto mean_of = [&](const Signs& signs) { return signed_sum(differences, signs) / count; };
  Extremes extremes(mean_of(Signs(differences.size())), rounding(differences.size(), largest_size(differences)) / count,
                    options.alternative);
  const bool exact =
      visit_signs(differences.size(), options, [&](const Signs& signs) { extremes.add(mean_of(signs)); });
  const double smallest = smallest_p_signs(std::ssize(differences), options.alternative);
  return exact ? extremes.exact(smallest) : extremes.drawn(smallest);
}

}  // namespace phasor::statistics
