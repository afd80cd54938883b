#pragma once
// y = activation(x weight^T + bias), and its gradients.
#include "phasor/engine/ops.h"
#include "reference/grid.h"
#include "reference/scalar.h"

namespace phasor::reference {

template <class S>
S standard_normal_integral(const S& x) {
  return S(0.5) * (S(1.0) + error_function(x * computed<S>(std::sqrt(0.5))));
}

template <class S>
S activate(Activation activation, const S& x) {
  if (activation == Activation::relu) return value_of(x) > 0.0 ? x : S(0.0);
  if (activation == Activation::gelu) return x * standard_normal_integral(x);
  return x;
}

// relu'(0) is 0; gelu'(x) = Phi(x) + x phi(x).
template <class S>
S activation_slope(Activation activation, const S& x) {
  using std::exp;
  if (activation == Activation::relu) return value_of(x) > 0.0 ? S(1.0) : S(0.0);
  if (activation == Activation::none) return S(1.0);
  const S density = computed<S>(1.0 / std::sqrt(2.0 * std::numbers::pi)) * exp(S(-0.5) * x * x);
  return standard_normal_integral(x) + x * density;
}

// a b^T, plus a row of biases where there is one.
template <class S>
Grid<S> product(const Grid<S>& a, const Grid<S>& b, const Grid<S>& bias = {}) {
  Grid<S> c(a.rows, b.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < b.rows; ++j) {
      Sum<S> sum;
      for (int64_t k = 0; k < a.columns; ++k) sum.add(a(i, k) * b(j, k));
      c(i, j) = bias.empty() ? sum.total() : sum.total() + bias(0, j);
    }
  }
  return c;
}

template <class S>
Grid<S> transposed(const Grid<S>& a) {
  Grid<S> t(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) t(j, i) = a(i, j);
  }
  return t;
}

template <class S>
Grid<S> activated(Activation activation, Grid<S> x) {
  for (S& value : x.data) value = activate(activation, value);
  return x;
}

// dy times the slope of the activation at x.
template <class S>
Grid<S> deactivated(Activation activation, Grid<S> dy, const Grid<S>& x) {
  for (size_t i = 0; i < dy.data.size(); ++i) {
    if (activation != Activation::none) dy.data[i] *= activation_slope(activation, x.data[i]);
  }
  return dy;
}

// start + the sum of the rows of dy.
template <class S>
Grid<S> column_sums(const Grid<S>& start, const Grid<S>& dy) {
  Grid<S> sums = start;
  for (int64_t c = 0; c < dy.columns; ++c) {
    Sum<S> sum;
    sum.add(start(0, c));
    for (int64_t r = 0; r < dy.rows; ++r) sum.add(dy(r, c));
    sums(0, c) = sum.total();
  }
  return sums;
}

}  // namespace phasor::reference
