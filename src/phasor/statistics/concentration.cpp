#include "phasor/statistics/concentration.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "phasor/base/special_numbers.h"

namespace phasor::statistics {
namespace {

Concentration undefined() {
  Concentration result;
  for (double* number : {&result.max_share, &result.dominance, &result.dominance_ratio, &result.gini,
                         &result.gini_normalised, &result.entropy, &result.n1, &result.n2, &result.concentration}) {
    *number = kNaN;
  }
  return result;
}

}  // namespace

Concentration concentration(Sample drops) {
  require_values(drops, "a concentration");
  const auto largest = std::max_element(drops.begin(), drops.end());
  if (*largest <= 0.0) return undefined();
  Concentration result{.defined = true, .top = largest - drops.begin()};
  // Relative to the largest, so that no sum overflows or vanishes.
  double total = 0.0;
  for (const double drop : drops) {
    result.shares.push_back(std::max(0.0, drop) / *largest);
    total += result.shares.back();
  }
  for (double& share : result.shares) share /= total;

  std::vector<double> falling = result.shares;
  std::sort(falling.begin(), falling.end(), std::greater<>());
  const auto heads = static_cast<double>(falling.size());
  const double second = falling.size() > 1 ? falling[1] : 0.0;
  result.max_share = falling[0];
  result.dominance = falling[0] - second;
  result.dominance_ratio = second > 0.0 ? falling[0] / second : std::numeric_limits<double>::infinity();
  double squares = 0.0;
  for (size_t i = 0; i < falling.size(); ++i) {
    const double share = falling[i];
    result.gini += (heads - 1.0 - 2.0 * static_cast<double>(i)) * share / heads;
    if (share > 0.0) result.entropy -= share * std::log(share);
    squares += share * share;
  }
  result.n1 = std::exp(result.entropy);
  result.n2 = 1.0 / squares;
  const bool several = falling.size() > 1;
  result.gini_normalised = several ? result.gini * heads / (heads - 1.0) : kNaN;
  result.concentration = several ? (heads - result.n1) / (heads - 1.0) : kNaN;
  return result;
}

}  // namespace phasor::statistics
