#include "phasor/statistics/power.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/base/special_numbers.h"
#include "phasor/statistics/distribution.h"
#include "phasor/statistics/mean_difference.h"

namespace phasor::statistics {
namespace {

struct Weighted {
  double value = 0.0;
  double weight = 0.0;
};

// s^2 / sigma^2 of `runs` values with its probabilities: chi-square over its degrees of freedom, on a grid of its
// logarithm, where the trapezoidal rule is exact to many digits.
std::vector<Weighted> variance_ratios(int64_t runs) {
  constexpr int kPoints = 120;
  const double freedom = static_cast<double>(runs) - 1.0, half = 0.5 * freedom, reach = 12.0 / std::sqrt(freedom);
  const double low = -36.0 / freedom - reach, high = std::min(reach, 4.0);
  std::vector<Weighted> ratios(kPoints);
  double sum = 0.0;
  for (int i = 0; i < kPoints; ++i) {
    const double t = low + (high - low) * i / (kPoints - 1);
    ratios[static_cast<size_t>(i)] = {std::exp(t), std::exp(half * (t - std::exp(t) + 1.0))};
    sum += ratios[static_cast<size_t>(i)].weight;
  }
  for (Weighted& ratio : ratios) ratio.weight /= sum;
  return ratios;
}

// Student's quantile at Satterthwaite's degrees of freedom, by x's share in the variance of the difference.
class Quantiles {
 public:
  Quantiles(double freedom_x, double freedom_y, double level) {
    for (size_t i = 0; i < table_.size(); ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(table_.size() - 1);
      const double freedom = 1.0 / (share * share / freedom_x + (1.0 - share) * (1.0 - share) / freedom_y);
      table_[i] = student_quantile(0.5 * (1.0 + level), freedom);
    }
  }

  double at(double share) const {
    const double place = share * static_cast<double>(table_.size() - 1);
    const auto below = std::min(static_cast<size_t>(place), table_.size() - 2);
    const double part = place - static_cast<double>(below);
    return (1.0 - part) * table_[below] + part * table_[below + 1];
  }

 private:
  std::array<double, 129> table_{};
};

void require(const RunGroup& group) {
  if (group.runs < 0 || !(group.deviation >= 0.0) || !(group.variance_floor >= 0.0)) {
    fail("runs, deviation and floor are not negative, got {}, {}, {}", group.runs, group.deviation,
         group.variance_floor);
  }
}

// The half-widths that the interval may have, and the error of the difference, which is independent of them.
struct Design {
  std::vector<Weighted> halves;
  double error = 0.0;

  Design(const RunGroup& x, const RunGroup& y, double level) {
    const auto n_x = static_cast<double>(x.runs), n_y = static_cast<double>(y.runs);
    const double mean_x = x.deviation * x.deviation / n_x, mean_y = y.deviation * y.deviation / n_y;
    error = std::sqrt(mean_x + mean_y);
    const Quantiles quantiles(n_x - 1.0, n_y - 1.0, level);
    const std::vector<Weighted> ratios_y = variance_ratios(y.runs);
    for (const Weighted& ratio_x : variance_ratios(x.runs)) {
      const double v_x = std::max(mean_x * ratio_x.value, x.variance_floor);
      for (const Weighted& ratio_y : ratios_y) {
        const double square = v_x + std::max(mean_y * ratio_y.value, y.variance_floor);
        const double half = square > 0.0 ? quantiles.at(v_x / square) * std::sqrt(square) : 0.0;
        halves.push_back({half, ratio_x.weight * ratio_y.weight});
      }
    }
  }

  // That the difference found lies above `bound`.
  double above(double bound, double difference) const {
    if (error == 0.0) return difference > bound ? 1.0 : 0.0;
    return normal_cumulative((difference - bound) / error);
  }

  double chance_to_tell(double difference) const {
    double chance = 0.0;
    for (const Weighted& half : halves) {
      chance += half.weight * (above(half.value, difference) + above(half.value, -difference));
    }
    return std::min(1.0, chance);
  }

  double chance_to_rule_out(double margin) const {
    double chance = 0.0;
    for (const Weighted& half : halves) {
      const double room = margin - half.value;
      if (room > 0.0) chance += half.weight * (1.0 - 2.0 * above(room, 0.0));
    }
    return chance;
  }
};

bool can_decide(const RunGroup& x, const RunGroup& y, double level) {
  require(x);
  require(y);
  require_level(level);
  return std::min(x.runs, y.runs) >= kLeastRunsToCompare;
}

}  // namespace

double chance_to_tell(const RunGroup& x, const RunGroup& y, double difference, double level) {
  return can_decide(x, y, level) ? Design(x, y, level).chance_to_tell(difference) : 0.0;
}

double chance_to_rule_out(const RunGroup& x, const RunGroup& y, double margin, double level) {
  return can_decide(x, y, level) ? Design(x, y, level).chance_to_rule_out(margin) : 0.0;
}

double detectable_difference(const RunGroup& x, const RunGroup& y, double power, double level) {
  require_level(power);
  if (!can_decide(x, y, level)) return kInfinity;
  const Design design(x, y, level);
  double low = 0.0, high = 1e-12;
  for (const Weighted& half : design.halves) high = std::max(high, half.value + 10.0 * design.error);
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    (design.chance_to_tell(middle) < power ? low : high) = middle;
  }
  return high;
}

}  // namespace phasor::statistics
