#include "phasor/linalg/counted_entries.h"

#include <cmath>
#include <limits>

#include "phasor/base/error.h"

namespace phasor {

CountedShape counted_shape(int64_t size, bool causal) {
  if (size < 1) fail("a Toeplitz fit of a matrix of size {}: it must have at least one row", size);
  return {size, causal};
}

CountedShape counted_shape(DenseView a, bool causal) {
  require_square(a, "a Toeplitz fit");
  return counted_shape(a.extent(0), causal);
}

CountedEntries counted_entries(DenseView a, const CountedShape& shape) {
  CountedEntries result;
  if (shape.causal) {
    result.matrix = lower_triangle(a);
    require_finite(result.matrix, "a Toeplitz fit, on and below the diagonal");
    result.exponent = binary_exponent(result.matrix);
    if (result.exponent != 0) result.matrix = scaled_by_power(result.matrix, -result.exponent);
  } else {
    require_finite(a, "a Toeplitz fit");
    result.exponent = binary_exponent(a);
    result.matrix = scaled_by_power(a, -result.exponent);
  }
  return result;
}

ToeplitzKernel diagonal_sums(const Dense& a, const CountedShape& shape) {
  ToeplitzKernel sums = zero_kernel(shape.size, shape.causal);
  for (int64_t i = 0; i < shape.size; ++i) {
    const double* const row = a.row(i);
    double* const out = sums.values.data() + (shape.size - 1 - i);
    for (int64_t j = 0; j < shape.row_end(i); ++j) out[j] += row[j];
  }
  return sums;
}

ToeplitzKernel diagonal_means(ToeplitzKernel sums, const CountedShape& shape) {
  for (int64_t d = -(shape.size - 1); d <= shape.last_distance(); ++d) {
    sums.at(d) /= static_cast<double>(shape.diagonal_count(d));
  }
  return sums;
}

std::vector<double> row_sums(const Dense& a, const CountedShape& shape) {
  std::vector<double> sums(static_cast<size_t>(shape.size));
  for (int64_t i = 0; i < shape.size; ++i) {
    const double* const row = a.row(i);
    double total = 0.0;
    for (int64_t j = 0; j < shape.row_end(i); ++j) total += row[j];
    sums[static_cast<size_t>(i)] = total;
  }
  return sums;
}

std::vector<double> column_sums(const Dense& a, const CountedShape& shape) {
  std::vector<double> sums(static_cast<size_t>(shape.size));
  for (int64_t i = 0; i < shape.size; ++i) {
    const double* const row = a.row(i);
    for (int64_t j = 0; j < shape.row_end(i); ++j) sums[static_cast<size_t>(j)] += row[j];
  }
  return sums;
}

std::vector<double> row_means(std::vector<double> sums, const CountedShape& shape) {
  for (int64_t i = 0; i < shape.size; ++i) sums[static_cast<size_t>(i)] /= static_cast<double>(shape.row_count(i));
  return sums;
}

void add_projection(Dense& matrix, const std::vector<double>& direction, double weight) {
  double squares = 0.0;
  for (const double x : direction) squares += x * x;
  if (squares == 0.0) return;
  for (int64_t r = 0; r < matrix.rows(); ++r) {
    const double factor = weight * direction[static_cast<size_t>(r)] / squares;
    for (int64_t c = 0; c < matrix.columns(); ++c) matrix(r, c) += factor * direction[static_cast<size_t>(c)];
  }
}

Dense row_equations(const CountedShape& shape) {
  const InverseCounts shared(shape);
  Dense m(shape.size, shape.size);
  for (int64_t i = 0; i < shape.size; ++i) {
    for (int64_t k = 0; k <= i; ++k) {
      m(i, k) = m(k, i) = -shared.between(std::max(shared.row_first(i), shared.row_first(k)),
                                          std::min(shared.row_last(i), shared.row_last(k)));
    }
    m(i, i) += static_cast<double>(shape.row_count(i));
  }
  add_projection(m, std::vector<double>(static_cast<size_t>(shape.size), 1.0), static_cast<double>(shape.size));
  return m;
}

std::vector<double> without_diagonal_means(std::vector<double> sums, const ToeplitzKernel& means,
                                           const CountedShape& shape, bool columns) {
  const InverseCounts ranges(shape);
  std::vector<double> until(means.values.size() + 1);
  for (size_t d = 0; d < means.values.size(); ++d) until[d + 1] = until[d] + means.values[d];
  for (int64_t i = 0; i < shape.size; ++i) {
    const int64_t first = columns ? ranges.column_first(i) : ranges.row_first(i);
    const int64_t last = columns ? ranges.column_last(i) : ranges.row_last(i);
    sums[static_cast<size_t>(i)] -=
        until[static_cast<size_t>(last + shape.size)] - until[static_cast<size_t>(first + shape.size - 1)];
  }
  return sums;
}

ToeplitzKernel best_kernel(const ToeplitzKernel& sums, const CountedShape& shape, const std::vector<double>& c,
                           const std::vector<double>& b) {
  const int64_t n = shape.size;
  std::vector<double> c_until(static_cast<size_t>(n + 1));
  std::vector<double> b_until(static_cast<size_t>(n + 1));
  for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
    c_until[i + 1] = c_until[i] + c[i];
    b_until[i + 1] = b_until[i] + (b.empty() ? 0.0 : b[i]);
  }
  ToeplitzKernel kernel = sums;
  for (int64_t d = -(n - 1); d <= shape.last_distance(); ++d) {
    // Diagonal d has the entries (i, i + d).
    const auto row_first = static_cast<size_t>(std::max<int64_t>(0, -d));
    const auto count = static_cast<size_t>(shape.diagonal_count(d));
    const auto column_first = static_cast<size_t>(std::max<int64_t>(0, d));
    kernel.at(d) -= c_until[row_first + count] - c_until[row_first];
    kernel.at(d) -= b_until[column_first + count] - b_until[column_first];
    kernel.at(d) /= static_cast<double>(count);
  }
  return kernel;
}

double residual_squares(const Dense& a, const CountedShape& shape, const std::vector<double>& c,
                        const std::vector<double>& b, const ToeplitzKernel* kernel) {
  double squares = 0.0;
  for (int64_t i = 0; i < shape.size; ++i) {
    const double* const row = a.row(i);
    const double* const t = kernel == nullptr ? nullptr : kernel->values.data() + (shape.size - 1 - i);
    double part = 0.0;
    for (int64_t j = 0; j < shape.row_end(i); ++j) {
      double rest = row[j] - c[static_cast<size_t>(i)];
      if (t != nullptr) rest -= t[j];
      if (!b.empty()) rest -= b[static_cast<size_t>(j)];
      part += rest * rest;
    }
    squares += part;
  }
  return squares;
}

double rounding_squares(const CountedShape& shape) {
  const double unit = static_cast<double>(shape.size) * std::numeric_limits<double>::epsilon();
  return unit * unit * static_cast<double>(shape.entries());
}

}  // namespace phasor
