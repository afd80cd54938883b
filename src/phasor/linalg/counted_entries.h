#pragma once
// The entries of a logit matrix that count, all of them or the causal ones, summed by row, column and diagonal: what
// the fits of c_i + b_j + t_{j-i} share.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "phasor/linalg/dense.h"
#include "phasor/linalg/toeplitz.h"

namespace phasor {

// Which entries count: all, or those with key <= query.
struct CountedShape {
  int64_t size = 0;
  bool causal = false;

  int64_t row_end(int64_t row) const { return causal ? row + 1 : size; }
  int64_t last_distance() const { return causal ? 0 : size - 1; }
  int64_t diagonal_count(int64_t distance) const { return size - std::abs(distance); }
  int64_t row_count(int64_t row) const { return row_end(row); }
  int64_t column_count(int64_t column) const { return causal ? size - column : size; }
  int64_t entries() const { return causal ? size * (size + 1) / 2 : size * size; }
};

// These fail for sizes below 1 and for other than square matrices.
CountedShape counted_shape(int64_t size, bool causal);
CountedShape counted_shape(DenseView a, bool causal);

// A copy divided by 2^exponent, so that entries are below 1; those that do not count are 0, whatever they were.
struct CountedEntries {
  Dense matrix;
  int exponent = 0;
};
CountedEntries counted_entries(DenseView a, const CountedShape& shape);

ToeplitzKernel diagonal_sums(const Dense& a, const CountedShape& shape);
ToeplitzKernel diagonal_means(ToeplitzKernel sums, const CountedShape& shape);
std::vector<double> row_sums(const Dense& a, const CountedShape& shape);
std::vector<double> column_sums(const Dense& a, const CountedShape& shape);
std::vector<double> row_means(std::vector<double> sums, const CountedShape& shape);

// sum of 1 / n_d over first <= d <= last: what rows or columns share through the eliminated t.
class InverseCounts {
 public:
  explicit InverseCounts(const CountedShape& shape) : shape_(shape), sums_(static_cast<size_t>(2 * shape.size)) {
    for (int64_t d = -(shape.size - 1); d <= shape.size - 1; ++d) {
      const double term = d <= shape.last_distance() ? 1.0 / static_cast<double>(shape.diagonal_count(d)) : 0.0;
      sums_[static_cast<size_t>(d + shape.size)] = sums_[static_cast<size_t>(d + shape.size - 1)] + term;
    }
  }
  double between(int64_t first, int64_t last) const {
    if (last < first) return 0.0;
    return sums_[static_cast<size_t>(last + shape_.size)] - sums_[static_cast<size_t>(first + shape_.size - 1)];
  }
  // Row i has distances -i .. n - 1 - i, column j has j - (n - 1) .. j; causal ones end at 0.
  int64_t row_first(int64_t i) const { return -i; }
  int64_t row_last(int64_t i) const { return std::min(shape_.size - 1 - i, shape_.last_distance()); }
  int64_t column_first(int64_t j) const { return j - (shape_.size - 1); }
  int64_t column_last(int64_t j) const { return std::min(j, shape_.last_distance()); }

 private:
  CountedShape shape_;
  std::vector<double> sums_;
};

// weight * the projection on a direction: it fixes what the equations leave open along it.
void add_projection(Dense& matrix, const std::vector<double>& direction, double weight);

// The normal equations of c with t eliminated. The constant that moves between c and t is fixed by sum c = 0.
Dense row_equations(const CountedShape& shape);
// Their right side: row sums (or column sums) less what the diagonal means account for.
std::vector<double> without_diagonal_means(std::vector<double> sums, const ToeplitzKernel& means,
                                           const CountedShape& shape, bool columns);

// t that is best for given c and b (b may be empty).
ToeplitzKernel best_kernel(const ToeplitzKernel& sums, const CountedShape& shape, const std::vector<double>& c,
                           const std::vector<double>& b);

// sum (a_ij - c_i - b_j - t_{j-i})^2; b may be empty and `kernel` null.
double residual_squares(const Dense& a, const CountedShape& shape, const std::vector<double>& c,
                        const std::vector<double>& b, const ToeplitzKernel* kernel);

// Sums of squares below this are rounding of a matrix with entries below 1.
double rounding_squares(const CountedShape& shape);

}  // namespace phasor
