#pragma once
// Derivatives by complex step: f'(x) = Im f(x + i h) / h + O(h^2). Nothing is subtracted, so h can be
// tiny and the result is exact to the rounding of double. f must be analytic: no abs, no max on its
// path (a maximum that is subtracted and added again, taken of real parts, is fine).
#include "reference/grid.h"
#include "reference/scalar.h"

namespace phasor::reference {

inline constexpr double kComplexStep = 1e-30;

// f maps a Grid<Complex> to a Complex; the gradient by every element of x.
template <class Function>
Grid<double> complex_step_gradient(const Function& f, const Grid<double>& x) {
  Grid<Complex> z = lift<Complex>(x);
  Grid<double> gradient(x.rows, x.columns);
  for (size_t i = 0; i < z.data.size(); ++i) {
    z.data[i] = {x.data[i], kComplexStep};
    gradient.data[i] = f(z).imag() / kComplexStep;
    z.data[i] = x.data[i];
  }
  return gradient;
}

// The derivative of f at x along a direction.
template <class Function>
double complex_step_along(const Function& f, const Grid<double>& x, const Grid<double>& direction) {
  Grid<Complex> z = lift<Complex>(x);
  for (size_t i = 0; i < z.data.size(); ++i) z.data[i] = {x.data[i], kComplexStep * direction.data[i]};
  return f(z).imag() / kComplexStep;
}

}  // namespace phasor::reference
