#include "phasor/spectrum/relative_fit.h"

#include <cmath>

#include "phasor/base/error.h"
#include "phasor/linalg/counted_entries.h"

namespace phasor {
namespace {

void fix_gauge(RelativeFit& fit, const CountedShape& shape, KernelGauge gauge) {
  double shift = 0.0;
  if (gauge == KernelGauge::zero_at_origin) {
    shift = fit.kernel.at(0);
  } else {
    for (int64_t d = -(shape.size - 1); d <= shape.last_distance(); ++d) {
      shift += static_cast<double>(shape.diagonal_count(d)) * fit.kernel.at(d);
    }
    shift /= static_cast<double>(shape.entries());
  }
  for (int64_t d = -(shape.size - 1); d <= shape.last_distance(); ++d) fit.kernel.at(d) -= shift;
  for (double& c : fit.row_constants) c += shift;
  fit.gauge = gauge;
}

RelativeFit fit_scaled(const Dense& a, const CountedShape& shape, const Cholesky& equations, KernelGauge gauge) {
  const ToeplitzKernel sums = diagonal_sums(a, shape);
  const std::vector<double> rows = row_sums(a, shape);
  RelativeFit fit;
  fit.row_constants = without_diagonal_means(rows, diagonal_means(sums, shape), shape, false);
  equations.solve(fit.row_constants);
  fit.kernel = best_kernel(sums, shape, fit.row_constants, {});
  fit.total = residual_squares(a, shape, row_means(rows, shape), {}, nullptr);
  fit.residual = residual_squares(a, shape, fit.row_constants, {}, &fit.kernel);
  fix_gauge(fit, shape, gauge);
  fit.null = 2.0 / static_cast<double>(shape.size);
  fit.defined = fit.total > rounding_squares(shape);
  if (fit.defined) {
    fit.r2 = 1.0 - fit.residual / fit.total;
    // At n <= 2 the fit is exact for any matrix, and the null is 1.
    fit.adjusted = shape.size > 2 ? (fit.r2 - fit.null) / (1.0 - fit.null) : 0.0;
  }
  return fit;
}

}  // namespace

RelativeFitter::RelativeFitter(int64_t size, bool causal)
    : size_(size), causal_(causal), equations_(row_equations(counted_shape(size, causal))) {}

RelativeFit RelativeFitter::fit(DenseView logits, KernelGauge gauge) const {
  const CountedShape shape = counted_shape(logits, causal_);
  if (shape.size != size_) fail("a fitter for matrices of size {} was given one of size {}", size_, shape.size);
  const CountedEntries entries = counted_entries(logits, shape);
  RelativeFit fit = fit_scaled(entries.matrix, shape, equations_, gauge);
  if (entries.exponent != 0) {
    for (double& t : fit.kernel.values) t = scaled_back(t, entries.exponent, "a value of the kernel");
    for (double& c : fit.row_constants) c = scaled_back(c, entries.exponent, "a row constant");
    // These two may leave the range; the ratios above have been taken before.
    fit.total = std::ldexp(fit.total, 2 * entries.exponent);
    fit.residual = std::ldexp(fit.residual, 2 * entries.exponent);
  }
  return fit;
}

}  // namespace phasor
