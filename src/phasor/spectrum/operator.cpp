#include "phasor/spectrum/operator.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "phasor/base/error.h"

namespace phasor {
namespace {

void times(DenseView a, std::span<const double> x, std::span<double> y) {
  for (int64_t r = 0; r < a.extent(0); ++r) {
    const double* const row = a.row(r);
    double total = 0.0;
    for (int64_t c = 0; c < a.extent(1); ++c) total += row[c] * x[static_cast<size_t>(c)];
    y[static_cast<size_t>(r)] = total;
  }
}

void transposed_times(DenseView a, std::span<const double> x, std::span<double> y) {
  std::fill(y.begin(), y.end(), 0.0);
  for (int64_t r = 0; r < a.extent(0); ++r) {
    const double* const row = a.row(r);
    const double factor = x[static_cast<size_t>(r)];
    for (int64_t c = 0; c < a.extent(1); ++c) y[static_cast<size_t>(c)] += factor * row[c];
  }
}

}  // namespace

LinearOperator dense_operator(DenseView a) {
  require_finite(a, "an operator");
  return {a.extent(0), a.extent(1), [a](std::span<const double> x, std::span<double> y) { times(a, x, y); },
          [a](std::span<const double> x, std::span<double> y) { transposed_times(a, x, y); }};
}

LinearOperator factor_operator(DenseView queries, DenseView keys) {
  if (queries.extent(1) != keys.extent(1)) {
    fail("queries of width {} and keys of width {} have no products", queries.extent(1), keys.extent(1));
  }
  require_finite(queries, "queries");
  require_finite(keys, "keys");
  const auto through = [](DenseView left, DenseView right) {
    return [left, right](std::span<const double> x, std::span<double> y) {
      std::vector<double> small(static_cast<size_t>(right.extent(1)));
      transposed_times(right, x, small);
      times(left, small, y);
    };
  };
  return {queries.extent(0), keys.extent(0), through(queries, keys), through(keys, queries)};
}

LinearOperator toeplitz_operator(const ToeplitzKernel& kernel) {
  const auto product = std::make_shared<const ToeplitzProduct>(kernel);
  return {kernel.size, kernel.size, [product](std::span<const double> x, std::span<double> y) { product->apply(x, y); },
          [product](std::span<const double> x, std::span<double> y) { product->apply_transposed(x, y); }};
}

LinearOperator sum_operator(LinearOperator a, LinearOperator b) {
  if (a.rows != b.rows || a.columns != b.columns) {
    fail("operators of {} x {} and {} x {} have no sum", a.rows, a.columns, b.rows, b.columns);
  }
  const auto both = [](LinearOperator::Apply first, LinearOperator::Apply second) {
    return [first = std::move(first), second = std::move(second)](std::span<const double> x, std::span<double> y) {
      std::vector<double> other(y.size());
      first(x, y);
      second(x, other);
      for (size_t i = 0; i < other.size(); ++i) y[i] += other[i];
    };
  };
  return {a.rows, a.columns, both(std::move(a.apply), std::move(b.apply)),
          both(std::move(a.apply_transposed), std::move(b.apply_transposed))};
}

}  // namespace phasor
