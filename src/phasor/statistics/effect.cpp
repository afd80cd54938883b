#include "phasor/statistics/effect.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "phasor/base/special_numbers.h"
#include "phasor/statistics/distribution.h"
#include "phasor/statistics/summary.h"

namespace phasor::statistics {
namespace {

double difference_of_means(Sample x, Sample y) { return mean(x) - mean(y); }

MeanInterval student_interval(double estimate, double standard_error, double freedom, double level) {
  const double half = student_quantile(0.5 * (1.0 + level), freedom) * standard_error;
  return {.estimate = estimate, .low = estimate - half, .high = estimate + half, .freedom = freedom};
}

MeanInterval spreadless(double estimate, double half) {
  return {.estimate = estimate, .low = estimate - half, .high = estimate + half, .freedom = kNaN, .degenerate = true};
}

}  // namespace

double cliffs_delta(Sample x, Sample y) {
  require_values(x, "Cliff's delta");
  require_values(y, "Cliff's delta");
  std::vector<double> sorted(y.begin(), y.end());
  std::sort(sorted.begin(), sorted.end());
  int64_t wins = 0;
  for (const double value : x) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    wins += (first - sorted.begin()) - (sorted.end() - last);
  }
  return static_cast<double>(wins) / (static_cast<double>(x.size()) * static_cast<double>(y.size()));
}

BootstrapInterval cliffs_delta_interval(Sample x, Sample y, const BootstrapOptions& options) {
  return bootstrap_two_samples(x, y, cliffs_delta, options).within(-1.0, 1.0);
}

MeanInterval mean_interval(Sample sample, double level) {
  require_level(level);
  const double estimate = mean(sample);
  if (sample.size() == 1) return spreadless(estimate, kInfinity);
  const auto count = static_cast<double>(sample.size());
  const double spread = variance(sample);
  if (spread == 0.0) return spreadless(estimate, 0.0);
  return student_interval(estimate, std::sqrt(spread / count), count - 1.0, level);
}

MeanInterval mean_difference(Sample x, Sample y, double level) {
  require_level(level);
  const double estimate = difference_of_means(x, y);
  if (x.size() == 1 || y.size() == 1) return spreadless(estimate, kInfinity);
  const auto count_x = static_cast<double>(x.size());
  const auto count_y = static_cast<double>(y.size());
  const double square_x = variance(x) / count_x;
  const double square_y = variance(y) / count_y;
  const double square = square_x + square_y;
  if (square == 0.0) return spreadless(estimate, 0.0);
  const double share_x = square_x / square;
  const double share_y = square_y / square;
  const double freedom = 1.0 / (share_x * share_x / (count_x - 1.0) + share_y * share_y / (count_y - 1.0));
  return student_interval(estimate, std::sqrt(square), freedom, level);
}

}  // namespace phasor::statistics
