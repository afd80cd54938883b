#pragma once
// A scalar that carries a bound on its own rounding error: the value in double, and how far the same
// formula in fp32 may end up from it. Bounds thus follow from the formula and the data, and no test
// states a tolerance.
//
// Every operation adds u |result|, u = 2^-24, to the propagated errors of its arguments, which add up
// without cancelling. Sums are where that would be hopelessly pessimistic: (n - 1) u sum|t| holds for n
// terms t in any order, but rounding errors have both signs. Taking them as independent, each uniform in
// +-u of the partial sum s_k it falls on (the model of Higham and Mary, "A new approach to probabilistic
// rounding error analysis", SIAM J. Sci. Comput. 41, 2019), the error has deviation
// u sqrt(sum_k s_k^2 / 3). For terms in no particular order s_k is on average k / n of the total, with
// variance k (1 - k / n) mean(t^2), so that sum_k s_k^2 = n total^2 / 3 + n sum t^2 / 6. The bound is nine
// deviations, 3 u sqrt(n (total^2 + sum t^2 / 2)): six for the roundings of a million elements, and half
// as much again for data whose partial sums wander farther than average. Lanes and blocks only help.
#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/tensor/matrix.h"
#include "reference/scalar.h"

namespace phasor::reference {

// Half the spacing of numbers just above 1: the largest relative error of rounding to nearest.
constexpr double unit_roundoff(Dtype dtype) { return dtype == Dtype::f32 ? 0x1.0p-24 : 0x1.0p-8; }

// Results smaller than any normal fp32 number may be flushed to zero.
inline constexpr double kUnderflow = 0x1.0p-126;

// kOperands: the dtype that intermediate values are rounded to before a matrix product.
template <Dtype kOperands>
struct Rounded {
  static constexpr double kUnit = unit_roundoff(Dtype::f32);
  static constexpr double kFunction = 4.0 * kUnit;  // vectorised exp and log are good to 2 spacings

  double value = 0.0;
  double error = 0.0;

  Rounded() = default;
  Rounded(double exact) : value(exact) {}  // NOLINT(google-explicit-constructor)
  Rounded(double rounded_value, double bound) : value(rounded_value), error(bound) {}

  // The result of one fp32 operation whose arguments were off by `propagated` in effect.
  static Rounded result(double exact, double propagated, double unit = kUnit) {
    return {exact, propagated + unit * (std::abs(exact) + propagated)};
  }

  Rounded operator-() const { return {-value, error}; }
  friend Rounded operator+(const Rounded& a, const Rounded& b) { return result(a.value + b.value, a.error + b.error); }
  friend Rounded operator-(const Rounded& a, const Rounded& b) { return result(a.value - b.value, a.error + b.error); }
  friend Rounded operator*(const Rounded& a, const Rounded& b) {
    const double propagated = std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error;
    return result(a.value * b.value, propagated);
  }
  friend Rounded operator/(const Rounded& a, const Rounded& b) {
    const double quotient = a.value / b.value;
    const double smallest = std::abs(b.value) - b.error;
    if (smallest <= 0.0) return {quotient, std::numeric_limits<double>::infinity()};
    return result(quotient, (a.error + std::abs(quotient) * b.error) / smallest);
  }
  Rounded& operator+=(const Rounded& other) { return *this = *this + other; }
  Rounded& operator-=(const Rounded& other) { return *this = *this - other; }
  Rounded& operator*=(const Rounded& other) { return *this = *this * other; }

  friend Rounded exp(const Rounded& x) {
    const double power = std::exp(x.value);
    // Far off the error may be larger than 1: then the larger end of the interval, without 0 * infinity.
    const double growth = x.error < 1.0 ? power * std::expm1(x.error) : std::exp(x.value + x.error) - power;
    return result(power, growth + kUnderflow, kFunction);
  }
  friend Rounded log(const Rounded& x) {
    if (x.error >= x.value) return {std::log(x.value), std::numeric_limits<double>::infinity()};
    return result(std::log(x.value), -std::log1p(-x.error / x.value), kFunction);
  }
  friend Rounded sqrt(const Rounded& x) {
    const double root = std::sqrt(x.value);
    const double least = std::sqrt(std::max(x.value - x.error, 0.0));
    return result(root, x.error == 0.0 ? 0.0 : x.error / (root + least));
  }
  friend Rounded error_function(const Rounded& x) {
    // Rational approximations of erf are good in absolute terms: the usual one (Abramowitz and Stegun 7.1.26)
    // is off by 1.5e-7 = 2.5 u before any rounding.
    return {std::erf(x.value), 2.0 / std::sqrt(std::numbers::pi) * x.error + 6.0 * kUnit};
  }
  friend Rounded softplus(const Rounded& x) {
    // max(x, 0) + log(1 + e): both terms are positive, and errors of e count in log(1 + e) by no more than they are of
    // e. An exponential, a logarithm, and five operations around them.
    const double slope = 1.0 / (1.0 + std::exp(-x.value - x.error));
    const double value = softplus(x.value);
    return {value, slope * x.error + (2.0 * kFunction + 5.0 * kUnit) * value + kUnderflow};
  }
  friend double value_of(const Rounded& x) { return x.value; }
  friend Rounded exact(const Rounded& x) { return {x.value, 0.0}; }
  friend Rounded looser(const Rounded& a, const Rounded& b) { return {a.value, std::max(a.error, b.error)}; }
};

using Rounded32 = Rounded<Dtype::f32>;
using Rounded16 = Rounded<Dtype::bf16>;

template <Dtype kOperands>
Rounded<kOperands> stored(const Rounded<kOperands>& x, Dtype dtype) {
  return {x.value, x.error + unit_roundoff(dtype) * (std::abs(x.value) + x.error)};
}

template <>
inline Rounded16 operand(const Rounded16& x) {
  return stored(x, Dtype::bf16);
}

template <>
inline Rounded32 computed(double x) {
  return {x, 2.0 * Rounded32::kUnit * std::abs(x)};
}
template <>
inline Rounded16 computed(double x) {
  return {x, 2.0 * Rounded16::kUnit * std::abs(x)};
}

template <Dtype kOperands>
class Sum<Rounded<kOperands>> {
 public:
  void add(const Rounded<kOperands>& term) {
    total_ += term.value;
    errors_ += term.error;
    size_ += std::abs(term.value);
    squares_ += term.value * term.value;
    ++count_;
  }

  Rounded<kOperands> total() const {
    const double worst = std::max(count_ - 1.0, 0.0) * size_;
    const double likely = 3.0 * std::sqrt(count_ * (total_ * total_ + 0.5 * squares_));
    return {total_, errors_ + Rounded<kOperands>::kUnit * std::min(worst, likely)};
  }

 private:
  double total_ = 0.0;
  double errors_ = 0.0;  // of the terms
  double size_ = 0.0;    // sum of |terms|
  double squares_ = 0.0;
  double count_ = 0.0;
};

}  // namespace phasor::reference
