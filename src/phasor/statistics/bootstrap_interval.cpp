#include <algorithm>
#include <cmath>

#include "phasor/base/error.h"
#include "phasor/base/special_numbers.h"
#include "phasor/statistics/bootstrap.h"
#include "phasor/statistics/distribution.h"
#include "phasor/statistics/summary.h"

namespace phasor::statistics {
namespace {

// Type 7 quantile of sorted values with `undefined` more of them, all standing before the first or after the last.
double low_end(Sample sorted, int64_t undefined, double probability) {
  const double place = probability * (static_cast<double>(sorted.size()) + static_cast<double>(undefined) - 1.0);
  const double defined_place = place - static_cast<double>(undefined);
  if (defined_place < 0.0) return -kInfinity;
  return quantile_of_sorted(sorted, std::min(1.0, defined_place / std::max(1.0, sorted.size() - 1.0)));
}

double high_end(Sample sorted, int64_t undefined, double probability) {
  const double place = probability * (static_cast<double>(sorted.size()) + static_cast<double>(undefined) - 1.0);
  const double last = static_cast<double>(sorted.size()) - 1.0;
  if (place > last) return undefined > 0 ? kInfinity : sorted.back();
  return quantile_of_sorted(sorted, last > 0.0 ? place / last : 0.0);
}

// The share of resamples below the estimate, ties counted half: discrete statistics tie often, and so do resamples that
// are the sample in another order, 4 % of those of five values. What lies within rounding of the estimate is a tie.
double share_below(Sample sorted, double estimate) {
  constexpr double kRelativeTolerance = 1e-9;  // of the spread; of a continuous statistic no more resamples than that
  const double spread = sorted.back() - sorted.front();
  const double tolerance = std::isfinite(spread) ? kRelativeTolerance * spread : 0.0;
  const auto first = std::lower_bound(sorted.begin(), sorted.end(), estimate - tolerance);
  const auto last = std::upper_bound(first, sorted.end(), estimate + tolerance);
  const auto below = static_cast<double>(first - sorted.begin());
  const auto equal = static_cast<double>(last - first);
  return (below + 0.5 * equal) / static_cast<double>(sorted.size());
}

// sum u^3 / (6 (sum u^2)^1.5); 0 where no unit has an influence, NaN where one has none that is defined.
double acceleration(Sample influences) {
  double squares = 0.0;
  double cubes = 0.0;
  for (const double u : influences) {
    squares += u * u;
    cubes += u * u * u;
  }
  return squares == 0.0 ? 0.0 : cubes / (6.0 * squares * std::sqrt(squares));
}

// False where the corrections do not exist.
bool bca_tails(Sample sorted, const Resamples& resamples, Interval* tails) {
  const double bias = normal_quantile(share_below(sorted, resamples.estimate));
  const double skew = acceleration(resamples.influences);
  if (resamples.influences.empty() || !std::isfinite(bias) || !std::isfinite(skew)) return false;
  const auto corrected = [bias, skew](double tail) {
    const double z = bias + normal_quantile(tail);
    const double shrink = 1.0 - skew * z;
    return shrink > 0.0 ? normal_cumulative(bias + z / shrink) : kNaN;
  };
  const Interval moved{corrected(tails->low), corrected(tails->high)};
  if (std::isnan(moved.low) || std::isnan(moved.high)) return false;
  *tails = moved;
  return true;
}

// Resamples spread by sqrt((n - 1) / n) too little and know nothing of the deviation's own error.
Interval expanded_tails(const Resamples& resamples, Interval tails) {
  const auto units = static_cast<double>(resamples.units);
  const auto freedom = static_cast<double>(resamples.units - resamples.blocks);
  const double widen = std::sqrt(units / freedom);
  return {normal_cumulative(widen * student_quantile(tails.low, freedom)),
          normal_cumulative(widen * student_quantile(tails.high, freedom))};
}

}  // namespace

void require_options(const BootstrapOptions& options) {
  require_level(options.level);
  constexpr int64_t kMost = 100'000'000;
  const auto fewest = static_cast<int64_t>(std::ceil(2.0 / (1.0 - options.level) - 1e-9));
  if (options.resamples < fewest || options.resamples > kMost) {
    fail("a bootstrap interval of level {} needs {} to {} resamples, got {}", options.level, fewest, kMost,
         options.resamples);
  }
}

std::vector<double> jackknife_influences(Sample without) {
  if (without.size() < 2) return std::vector<double>(without.size(), 0.0);
  double sum = 0.0;
  for (const double value : without) sum += value;
  const auto count = static_cast<double>(without.size());
  std::vector<double> influences(without.size());
  for (size_t i = 0; i < without.size(); ++i) influences[i] = (count - 1.0) / count * (sum / count - without[i]);
  return influences;
}

BootstrapInterval bootstrap_interval(Resamples resamples, const BootstrapOptions& options) {
  require_options(options);
  std::vector<double>& values = resamples.values;
  if (values.empty()) fail("a bootstrap interval needs resamples, there are none");
  BootstrapInterval result{.estimate = resamples.estimate,
                           .low = -kInfinity,
                           .high = kInfinity,
                           .level = options.level,
                           .standard_error = kNaN,
                           .resamples = static_cast<int64_t>(values.size()),
                           .degenerate = true};
  std::erase_if(values, [](double value) { return std::isnan(value); });
  std::sort(values.begin(), values.end());
  result.undefined = result.resamples - static_cast<int64_t>(values.size());
  if (resamples.units <= resamples.blocks || values.empty() || std::isnan(resamples.estimate)) return result;

  if (std::isfinite(values.front()) && std::isfinite(values.back())) result.standard_error = standard_deviation(values);
  result.degenerate = values.front() == values.back();
  Interval tails{0.5 * (1.0 - options.level), 0.5 * (1.0 + options.level)};
  if (!result.degenerate && options.method == BootstrapMethod::expanded) {
    tails = expanded_tails(resamples, tails);
    result.method = BootstrapMethod::expanded;
  }
  if (!result.degenerate && options.method == BootstrapMethod::bca && bca_tails(values, resamples, &tails)) {
    result.method = BootstrapMethod::bca;
  }
  result.low = low_end(values, result.undefined, tails.low);
  result.high = high_end(values, result.undefined, tails.high);
  return result;
}

BootstrapInterval BootstrapInterval::within(double lowest, double highest) const {
  BootstrapInterval result = *this;
  result.low = std::clamp(low, lowest, highest);
  result.high = std::clamp(high, lowest, highest);
  return result;
}

}  // namespace phasor::statistics
