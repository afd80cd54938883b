#include "phasor/statistics/proportion.h"

#include <algorithm>
#include <cmath>

#include "phasor/base/error.h"
#include "phasor/statistics/distribution.h"

namespace phasor::statistics {
namespace {

void require_count(int64_t successes, int64_t trials) {
  if (trials < 1) fail("a proportion needs at least one trial, got {}", trials);
  if (successes < 0 || successes > trials) fail("{} successes are not possible in {} trials", successes, trials);
}

}  // namespace

double clopper_pearson_lower(int64_t successes, int64_t trials, double level) {
  require_count(successes, trials);
  require_level(level);
  if (successes == 0) return 0.0;
  return beta_quantile(1.0 - level, static_cast<double>(successes), static_cast<double>(trials - successes + 1));
}

double clopper_pearson_upper(int64_t successes, int64_t trials, double level) {
  require_count(successes, trials);
  return 1.0 - clopper_pearson_lower(trials - successes, trials, level);
}

Interval clopper_pearson(int64_t successes, int64_t trials, double level) {
  require_level(level);
  const double one_sided = 0.5 * (1.0 + level);
  return {clopper_pearson_lower(successes, trials, one_sided), clopper_pearson_upper(successes, trials, one_sided)};
}

PairedAccuracy mcnemar(int64_t lost, int64_t won, int64_t examples) {
  if (examples < 1) fail("McNemar's test needs at least one example, got {}", examples);
  if (lost < 0 || won < 0 || lost + won > examples) {
    fail("{} lost and {} won answers are not possible among {} examples", lost, won, examples);
  }
  const auto n = static_cast<double>(examples);
  const auto difference = static_cast<double>(lost - won);
  const auto discordant = static_cast<double>(lost + won);
  const double tail = binomial_cumulative(static_cast<double>(std::min(lost, won)), discordant, 0.5);
  return {.drop = difference / n,
          .standard_error = std::sqrt(discordant - difference * difference / n) / n,
          .p = std::min(1.0, 2.0 * tail)};
}

}  // namespace phasor::statistics
