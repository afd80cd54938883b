#include "phasor/spectrum/logit_split.h"

#include <algorithm>
#include <cmath>

#include "phasor/base/error.h"
#include "phasor/linalg/counted_entries.h"

namespace phasor {
namespace {

// Of (c, b) with t eliminated: two constants and a common trend (c_i = i, b_j = -j) move into t.
Dense row_and_column_equations(const CountedShape& shape) {
  const InverseCounts shared(shape);
  const int64_t n = shape.size;
  const Dense rows = row_equations(shape);
  Dense m(2 * n, 2 * n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < n; ++k) {
      m(i, k) = rows(i, k);  // with the term that fixes the constant of c
      m(n + i, n + k) = -shared.between(std::max(shared.column_first(i), shared.column_first(k)),
                                        std::min(shared.column_last(i), shared.column_last(k)));
      const double present = k < shape.row_end(i) ? 1.0 : 0.0;
      m(i, n + k) = m(n + k, i) = present - shared.between(std::max(shared.row_first(i), shared.column_first(k)),
                                                           std::min(shared.row_last(i), shared.column_last(k)));
    }
    m(n + i, n + i) += static_cast<double>(shape.column_count(i));
  }
  std::vector<double> constant(static_cast<size_t>(2 * n));
  std::vector<double> trend(static_cast<size_t>(2 * n));
  for (int64_t i = 0; i < n; ++i) {
    constant[static_cast<size_t>(n + i)] = 1.0;
    trend[static_cast<size_t>(i)] = static_cast<double>(i) - 0.5 * static_cast<double>(n - 1);
    trend[static_cast<size_t>(n + i)] = -trend[static_cast<size_t>(i)];
  }
  add_projection(m, constant, static_cast<double>(n));
  add_projection(m, trend, static_cast<double>(n));
  return m;
}

// Of b with c eliminated: b_j's constant moves into c.
Dense column_equations(const CountedShape& shape) {
  const int64_t n = shape.size;
  // Rows that hold both columns j and k: all, or those from the later one on.
  std::vector<double> inverse_counts(static_cast<size_t>(n + 1));  // summed from row i on
  for (int64_t i = n - 1; i >= 0; --i) {
    inverse_counts[static_cast<size_t>(i)] =
        inverse_counts[static_cast<size_t>(i + 1)] + 1.0 / static_cast<double>(shape.row_count(i));
  }
  Dense m(n, n);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t k = 0; k < n; ++k) {
      m(j, k) = -inverse_counts[static_cast<size_t>(shape.causal ? std::max(j, k) : 0)];
    }
    m(j, j) += static_cast<double>(shape.column_count(j));
  }
  add_projection(m, std::vector<double>(static_cast<size_t>(n), 1.0), static_cast<double>(n));
  return m;
}

}  // namespace

LogitSplitter::LogitSplitter(int64_t size, bool causal)
    : size_(size),
      causal_(causal),
      relative_(size, causal),
      equations_(row_and_column_equations(counted_shape(size, causal))),
      key_equations_(column_equations(counted_shape(size, causal))) {}

LogitSplit LogitSplitter::split(DenseView logits) const {
  const CountedShape shape = counted_shape(logits, causal_);
  if (shape.size != size_) fail("a splitter for matrices of size {} was given one of size {}", size_, shape.size);
  const CountedEntries entries = counted_entries(logits, shape);
  const Dense& a = entries.matrix;
  const auto n = static_cast<size_t>(shape.size);
  const RelativeFit relative = relative_.fit(a);
  const ToeplitzKernel sums = diagonal_sums(a, shape);
  const ToeplitzKernel means = diagonal_means(sums, shape);
  const std::vector<double> rows = row_sums(a, shape);
  const std::vector<double> columns = column_sums(a, shape);

  std::vector<double> both = without_diagonal_means(rows, means, shape, false);
  const std::vector<double> right = without_diagonal_means(columns, means, shape, true);
  both.insert(both.end(), right.begin(), right.end());
  equations_.solve(both);
  const std::vector<double> c(both.begin(), both.begin() + shape.size);
  const std::vector<double> b(both.begin() + shape.size, both.end());
  const ToeplitzKernel kernel = best_kernel(sums, shape, c, b);
  const double residual = residual_squares(a, shape, c, b, &kernel);

  // b after c: column sums less the row means that stand in each column.
  const std::vector<double> centre = row_means(rows, shape);
  std::vector<double> keys = columns;
  double below = 0.0;
  for (const double mean : centre) below += mean;
  for (size_t j = 0; j < n; ++j) {
    keys[j] -= below;
    if (shape.causal) below -= centre[j];
  }
  key_equations_.solve(keys);
  std::vector<double> rest = rows;
  double keys_until = 0.0;
  for (size_t j = 0; j < n; ++j) keys_until += keys[j];
  double running = 0.0;
  for (size_t i = 0; i < n; ++i) {
    running += keys[i];
    rest[i] -= shape.causal ? running : keys_until;
  }
  const double after_keys = residual_squares(a, shape, row_means(rest, shape), keys, nullptr);

  double mean = 0.0;
  for (const double sum : rows) mean += sum;
  mean /= static_cast<double>(shape.entries());
  LogitSplit split;
  const double total = residual_squares(a, shape, std::vector<double>(n, mean), {}, nullptr);
  const double entry_count = static_cast<double>(shape.entries()) - 1.0;
  const auto size = static_cast<double>(shape.size);
  if (shape.size > 1) {
    split.gauge_null = (size - 1.0) / entry_count;
    split.relative_null = (causal_ ? size - 1.0 : 2.0 * size - 2.0) / entry_count;
    split.absolute_key_null = (size - 2.0) / entry_count;
    split.residual_null = 1.0 - split.gauge_null - split.relative_null - split.absolute_key_null;
  }
  split.defined = total > rounding_squares(shape);
  split.total = std::ldexp(total, 2 * entries.exponent);
  if (split.defined) {
    // Within rounding the rows' sum of squares is that of the relative fit's total.
    split.gauge = (total - relative.total) / total;
    split.relative = (relative.total - relative.residual) / total;
    split.absolute_key = (relative.residual - residual) / total;
    split.residual = residual / total;
    split.relative_alone = (after_keys - residual) / total;
    split.key_first = (relative.total - after_keys) / total;
  }
  return split;
}

}  // namespace phasor
