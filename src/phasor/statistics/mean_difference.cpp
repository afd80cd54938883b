#include "phasor/statistics/mean_difference.h"

#include <algorithm>
#include <cmath>

#include "phasor/base/error.h"
#include "phasor/base/special_numbers.h"
#include "phasor/statistics/distribution.h"
#include "phasor/statistics/summary.h"

namespace phasor::statistics {
namespace {

// The variance of a side's mean.
struct MeanVariance {
  double value = 0.0;
  double freedom = 0.0;
};

MeanVariance variance_of_mean(const RunSample& sample) {
  if (!(sample.variance_floor >= 0.0 && std::isfinite(sample.variance_floor))) {
    fail("the floor of a variance is finite and not negative, got {}", sample.variance_floor);
  }
  const auto count = static_cast<double>(sample.values.size());
  return {std::max(variance(sample.values) / count, sample.variance_floor), count - 1.0};
}

MeanDifference unbounded(double difference, double level, int64_t fewest) {
  return {.difference = difference,
          .low = -kInfinity,
          .high = kInfinity,
          .freedom = kNaN,
          .level = level,
          .fewest = fewest,
          .degenerate = true};
}

MeanDifference student(double difference, double square, double freedom, double level, int64_t fewest) {
  MeanDifference result{.difference = difference, .level = level, .fewest = fewest};
  if (square == 0.0) {
    result.low = result.high = difference;
    result.freedom = kNaN;
    result.degenerate = true;
    return result;
  }
  const double error = std::sqrt(square);
  const double half = student_quantile(0.5 * (1.0 + level), freedom) * error;
  result.low = difference - half;
  result.high = difference + half;
  result.freedom = freedom;
  result.p = std::min(1.0, 2.0 * student_cumulative(-std::abs(difference) / error, freedom));
  return result;
}

}  // namespace

double accuracy_variance_floor(double mean, int64_t samples) {
  if (!(mean >= 0.0 && mean <= 1.0)) fail("an accuracy lies between 0 and 1, got {}", mean);
  if (samples < 0) fail("a test set has no {} samples", samples);
  if (samples == 0) return 0.0;
  const auto count = static_cast<double>(samples);
  const double share = (mean * count + 1.0) / (count + 2.0);
  return share * (1.0 - share) / count;
}

MeanDifference MeanDifference::within(double lowest, double highest) const {
  MeanDifference result = *this;
  result.low = std::clamp(low, lowest, highest);
  result.high = std::clamp(high, lowest, highest);
  return result;
}

MeanDifference MeanDifference::scaled(double factor) const {
  if (!(factor > 0.0)) fail("another unit is a positive factor, got {}", factor);
  MeanDifference result = *this;
  result.difference *= factor;
  result.low *= factor;
  result.high *= factor;
  return result;
}

MeanDifference compare_means(const RunSample& x, const RunSample& y, double level) {
  require_level(level);
  const double difference = mean(x.values) - mean(y.values);
  const auto fewest = static_cast<int64_t>(std::min(x.values.size(), y.values.size()));
  if (fewest < 2) return unbounded(difference, level, fewest);
  const MeanVariance of_x = variance_of_mean(x), of_y = variance_of_mean(y);
  const double square = of_x.value + of_y.value;
  // By shares, which neither overflow nor vanish where squares of variances would.
  const double share_x = square > 0.0 ? of_x.value / square : 0.5;
  const double share_y = 1.0 - share_x;
  const double freedom = 1.0 / (share_x * share_x / of_x.freedom + share_y * share_y / of_y.freedom);
  return student(difference, square, freedom, level, fewest);
}

MeanDifference mean_of_runs(const RunSample& x, double level) {
  require_level(level);
  const double centre = mean(x.values);
  const auto count = static_cast<int64_t>(x.values.size());
  if (count < 2) return unbounded(centre, level, count);
  const MeanVariance of_x = variance_of_mean(x);
  return student(centre, of_x.value, of_x.freedom, level, count);
}

DifferenceReading read(const MeanDifference& difference, double margin) {
  if (!(margin >= 0.0)) fail("a margin is not negative, got {}", margin);
  if (!difference.decides()) return DifferenceReading::open;
  if (difference.low > margin || difference.high < -margin) return DifferenceReading::of_interest;
  if (difference.low > -margin && difference.high < margin) return DifferenceReading::not_of_interest;
  return difference.significant() ? DifferenceReading::significant : DifferenceReading::open;
}

std::string_view name(DifferenceReading reading) {
  switch (reading) {
    case DifferenceReading::of_interest:
      return "of interest";
    case DifferenceReading::significant:
      return "significant";
    case DifferenceReading::not_of_interest:
      return "no difference of interest";
    case DifferenceReading::open:
      return "open";
  }
  return "open";
}

}  // namespace phasor::statistics
