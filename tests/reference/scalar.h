#pragma once
// What a reference formula asks of its scalar. Each formula is written once, as on paper, and used
// with three scalars: double (the truth), std::complex<double> (its own derivative) and Rounded (how
// far fp32 arithmetic may stray from the truth on this very data).
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace phasor::reference {

using Complex = std::complex<double>;

inline double value_of(double x) { return x; }
inline double value_of(const Complex& z) { return z.real(); }

// The value without what is known of its error; of two ways to one value, that with the larger error (rounded.h).
inline double exact(double x) { return x; }
inline double looser(double x, double) { return x; }

inline double error_function(double x) { return std::erf(x); }
// erf(a + i b) = erf(a) + i b erf'(a) + O(b^2): for a complex step of 1e-30 the rest is below any rounding.
inline Complex error_function(const Complex& z) {
  const double slope = 2.0 / std::sqrt(std::numbers::pi) * std::exp(-z.real() * z.real());
  return {std::erf(z.real()), slope * z.imag()};
}

// log(1 + e^x), and by a complex step its slope 1 / (1 + e^-x).
inline double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
inline Complex softplus(const Complex& z) { return {softplus(z.real()), z.imag() / (1.0 + std::exp(-z.real()))}; }

// x / (1 + e^-x)
template <class S>
S silu(const S& x) {
  using std::exp;
  return x / (S(1.0) + exp(-x));
}

// An intermediate value that an engine may round to the dtype of its operands before a matrix product.
template <class S>
S operand(const S& x) {
  return x;
}

// A constant that an engine computes in fp32 by up to two operations, such as 1 / (1 - rate).
template <class S>
S computed(double x) {
  return S(x);
}

// A sum whose order is not part of the formula.
template <class S>
class Sum {
 public:
  void add(const S& term) { total_ += term; }
  S total() const { return total_; }

 private:
  S total_ = S(0.0);
};

}  // namespace phasor::reference
