#include "phasor/linalg/toeplitz.h"

#include <algorithm>
#include <cmath>

#include "phasor/base/error.h"
#include "phasor/linalg/counted_entries.h"

namespace phasor {

ToeplitzKernel zero_kernel(int64_t size, bool causal) {
  if (size < 1) fail("a Toeplitz kernel of size {}: it must be at least 1", size);
  return {size, causal, std::vector<double>(static_cast<size_t>(2 * size - 1))};
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

}  // namespace phasor
