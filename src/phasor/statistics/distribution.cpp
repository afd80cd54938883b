#include "phasor/statistics/distribution.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "phasor/base/error.h"

namespace phasor::statistics {
namespace {

void require_probability(double probability) {
  if (!(probability >= 0.0 && probability <= 1.0)) {
    fail("a quantile is asked for between 0 and 1, got {}", probability);
  }
}

// Where the rising function reaches the target.
template <class Rising>
double bisect(const Rising& rising, double target, double low, double high) {
  while (true) {
    const double middle = low + 0.5 * (high - low);
    if (middle <= low || middle >= high) return high;
    (rising(middle) < target ? low : high) = middle;
  }
}

// The continued fraction of I_x(a, b) by Lentz's method as changed by Thompson and Barnett; converges fast for
// x < (a + 1) / (a + b + 2), in about sqrt(max(a, b)) steps.
double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostSteps = 100000;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1.0;
  double d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
  double fraction = d;
  for (int m = 1; m <= kMostSteps; ++m) {
    const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
    d = 1.0 / away_from_zero(1.0 + even * d);
    c = away_from_zero(1.0 + even / c);
    fraction *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
    d = 1.0 / away_from_zero(1.0 + odd * d);
    c = away_from_zero(1.0 + odd / c);
    const double factor = c * d;
    fraction *= factor;
    if (std::abs(factor - 1.0) <= std::numeric_limits<double>::epsilon()) return fraction;
  }
  fail("the incomplete beta function did not converge at x = {}, a = {}, b = {}", x, a, b);
}

}  // namespace

double normal_cumulative(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double normal_quantile(double probability) {
  require_probability(probability);
  constexpr double kFarthest = 39.0;  // beyond it the tail is below the smallest double
  if (probability == 0.0) return -std::numeric_limits<double>::infinity();
  if (probability > 0.5) return -normal_quantile(1.0 - probability);
  if (probability == 0.5) return 0.0;
  return bisect(normal_cumulative, probability, -kFarthest, 0.0);
}

double beta_cumulative(double x, double a, double b) {
  if (!(a > 0.0 && b > 0.0 && std::isfinite(a) && std::isfinite(b))) {
    fail("the beta distribution needs positive parameters, got {} and {}", a, b);
  }
  if (!(x >= 0.0 && x <= 1.0)) fail("the beta distribution lives on 0 to 1, got {}", x);
  if (x == 0.0 || x == 1.0) return x;
  const double log_front = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  if (x < (a + 1.0) / (a + b + 2.0)) return std::exp(log_front) * beta_fraction(x, a, b) / a;
  return 1.0 - std::exp(log_front) * beta_fraction(1.0 - x, b, a) / b;
}

double beta_quantile(double probability, double a, double b) {
  require_probability(probability);
  if (probability == 0.0 || probability == 1.0) return probability;
  return bisect([a, b](double x) { return beta_cumulative(x, a, b); }, probability, 0.0, 1.0);
}

double student_cumulative(double t, double freedom) {
  if (!(freedom > 0.0)) fail("Student's distribution needs positive degrees of freedom, got {}", freedom);
  if (std::isinf(t)) return t > 0.0 ? 1.0 : 0.0;
  // Of the two forms the one whose argument keeps its digits.
  const double square = t * t;
  const double tail = square < freedom ? 0.5 - 0.5 * beta_cumulative(square / (freedom + square), 0.5, 0.5 * freedom)
                                       : 0.5 * beta_cumulative(freedom / (freedom + square), 0.5 * freedom, 0.5);
  return t > 0.0 ? 1.0 - tail : tail;
}

double student_quantile(double probability, double freedom) {
  require_probability(probability);
  if (!(freedom > 0.0)) fail("Student's distribution needs positive degrees of freedom, got {}", freedom);
  if (probability > 0.5) return -student_quantile(1.0 - probability, freedom);
  if (probability == 0.5) return 0.0;
  if (probability == 0.0) return -std::numeric_limits<double>::infinity();
  if (probability < 0.25) {
    const double x = beta_quantile(2.0 * probability, 0.5 * freedom, 0.5);  // freedom / (freedom + t^2)
    return -std::sqrt(freedom * (1.0 - x) / x);
  }
  const double y = beta_quantile(1.0 - 2.0 * probability, 0.5, 0.5 * freedom);  // t^2 / (freedom + t^2)
  return -std::sqrt(freedom * y / (1.0 - y));
}

double binomial_cumulative(double k, double n, double probability) {
  if (!(n >= 0.0 && probability >= 0.0 && probability <= 1.0)) {
    fail("no binomial distribution has {} trials of probability {}", n, probability);
  }
  k = std::floor(k);
  if (k < 0.0) return 0.0;
  if (k >= n) return 1.0;
  return beta_cumulative(1.0 - probability, n - k, k + 1.0);
}

}  // namespace phasor::statistics
