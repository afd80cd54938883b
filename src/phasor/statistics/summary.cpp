#include "phasor/statistics/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "phasor/base/error.h"

namespace phasor::statistics {
namespace {

std::vector<double> sorted_copy(Sample sample) {
  std::vector<double> sorted(sample.begin(), sample.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double median_distance(Sample sample, double centre) {
  std::vector<double> distances(sample.size());
  for (size_t i = 0; i < sample.size(); ++i) distances[i] = std::abs(sample[i] - centre);
  std::sort(distances.begin(), distances.end());
  return quantile_of_sorted(distances, 0.5);
}

}  // namespace

double mean(Sample sample) {
  require_values(sample, "a mean");
  // Relative to the first value, so that equal values have exactly their mean: whether a sample is constant, and with
  // it whether a correlation exists, must not hang on rounding.
  const double origin = sample[0];
  double sum = 0.0;
  for (const double value : sample) sum += value - origin;
  return origin + sum / static_cast<double>(sample.size());
}

double median(Sample sample) {
  require_values(sample, "a median");
  return quantile_of_sorted(sorted_copy(sample), 0.5);
}

double variance(Sample sample) {
  require_values(sample, "a variance");
  if (sample.size() == 1) return std::numeric_limits<double>::quiet_NaN();
  const double centre = mean(sample);
  double squares = 0.0;
  double rest = 0.0;  // what rounding of the mean left over
  for (const double value : sample) {
    squares += (value - centre) * (value - centre);
    rest += value - centre;
  }
  const auto count = static_cast<double>(sample.size());
  return std::max(0.0, (squares - rest * rest / count) / (count - 1.0));
}

double standard_deviation(Sample sample) { return std::sqrt(variance(sample)); }

double median_absolute_deviation(Sample sample) {
  require_values(sample, "a median absolute deviation");
  return median_distance(sample, median(sample));
}

double quantile(Sample sample, double probability) {
  require_values(sample, "a quantile");
  return quantile_of_sorted(sorted_copy(sample), probability);
}

double quantile_of_sorted(Sample sorted, double probability) {
  if (sorted.empty()) fail("a quantile needs at least one value, the sample is empty");
  if (!(probability >= 0.0 && probability <= 1.0)) fail("a quantile is asked for between 0 and 1, got {}", probability);
  const double place = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const double fraction = place - static_cast<double>(below);
  // Infinite values have no distance to go along.
  if (fraction == 0.0 || std::isinf(sorted[below])) return sorted[below];
  return sorted[below] + fraction * (sorted[below + 1] - sorted[below]);
}

Summary summarize(Sample sample) {
  require_values(sample, "a summary");
  const std::vector<double> sorted = sorted_copy(sample);
  const double middle = quantile_of_sorted(sorted, 0.5);
  return {.count = static_cast<int64_t>(sample.size()),
          .mean = mean(sample),
          .deviation = standard_deviation(sample),
          .minimum = sorted.front(),
          .lower_quartile = quantile_of_sorted(sorted, 0.25),
          .median = middle,
          .upper_quartile = quantile_of_sorted(sorted, 0.75),
          .maximum = sorted.back(),
          .median_absolute_deviation = median_distance(sample, middle)};
}

}  // namespace phasor::statistics
