#include "phasor/spectrum/toeplitz.h"

#include <algorithm>
#include <cmath>

#include "phasor/base/error.h"
#include "phasor/spectrum/counted_entries.h"

namespace phasor {

ToeplitzKernel zero_kernel(int64_t size, bool causal) {
  if (size < 1) fail("a Toeplitz kernel of size {}: it must be at least 1", size);
  return {size, causal, std::vector<double>(static_cast<size_t>(2 * size - 1))};
}

Dense toeplitz_matrix(const ToeplitzKernel& kernel) {
  Dense a(kernel.size, kernel.size);
  for (int64_t i = 0; i < kernel.size; ++i) {
    for (int64_t j = 0; j < kernel.size; ++j) a(i, j) = kernel.at(j - i);
  }
  return a;
}

ToeplitzKernel diagonal_means(DenseView a, bool causal) {
  const CountedShape shape = counted_shape(a, causal);
  const CountedEntries entries = counted_entries(a, shape);
  ToeplitzKernel means = diagonal_means(diagonal_sums(entries.matrix, shape), shape);
  for (double& t : means.values) t = std::ldexp(t, entries.exponent);
  return means;
}

ToeplitzShare toeplitz_share(DenseView a, bool causal) {
  const CountedShape shape = counted_shape(a, causal);
  const Dense matrix = counted_entries(a, shape).matrix;
  const ToeplitzKernel means = diagonal_means(diagonal_sums(matrix, shape), shape);
  double squares = 0.0;
  for (int64_t d = -(shape.size - 1); d <= shape.last_distance(); ++d) {
    squares += static_cast<double>(shape.diagonal_count(d)) * means.at(d) * means.at(d);
  }
  const double whole = frobenius_norm(matrix);
  ToeplitzShare result;
  result.null = static_cast<double>(causal ? shape.size : 2 * shape.size - 1) / static_cast<double>(shape.entries());
  result.defined = whole > 0.0;
  if (result.defined) result.share = squares / (whole * whole);
  return result;
}

ToeplitzProduct::ToeplitzProduct(const ToeplitzKernel& kernel)
    : size_(kernel.size), fft_(power_of_two_from(2 * kernel.size)), transform_(static_cast<size_t>(fft_.size())) {
  // y = t (x) x with t_{j-i}: the circulant's first column is t_0, t_-1, ..., and from its end t_1, t_2, ...
  for (int64_t d = 0; d < size_; ++d) transform_[static_cast<size_t>(d)] = kernel.at(-d);
  for (int64_t d = 1; d < size_; ++d) transform_[static_cast<size_t>(fft_.size() - d)] = kernel.at(d);
  fft_.forward(transform_);
}

void ToeplitzProduct::apply(std::span<const double> x, std::span<double> y) const { multiply(x, y, false); }
void ToeplitzProduct::apply_transposed(std::span<const double> x, std::span<double> y) const { multiply(x, y, true); }

void ToeplitzProduct::multiply(std::span<const double> x, std::span<double> y, bool transposed) const {
  if (static_cast<int64_t>(x.size()) != size_ || static_cast<int64_t>(y.size()) != size_) {
    fail("a Toeplitz product of size {} was given vectors of {} and {}", size_, x.size(), y.size());
  }
  std::vector<std::complex<double>> padded(transform_.size());
  std::copy(x.begin(), x.end(), padded.begin());
  fft_.forward(padded);
  for (size_t m = 0; m < padded.size(); ++m) {
    padded[m] *= transposed ? std::conj(transform_[m]) : transform_[m];
  }
  fft_.inverse(padded);
  for (size_t i = 0; i < y.size(); ++i) y[i] = padded[i].real();
}

}  // namespace phasor
