#pragma once
// Matrices for analysis: double, row-major, owned. What only reads takes a DenseView, so that a range of rows or
// columns of a larger matrix serves without a copy.
#include <complex>
#include <cstdint>
#include <string_view>
#include <vector>

#include "phasor/tensor/view.h"

namespace phasor {

using DenseView = View<const double, 2>;

template <class T>
class BasicDense {
 public:
  BasicDense() = default;
  BasicDense(int64_t rows, int64_t columns)
      : rows_(rows), columns_(columns), values_(static_cast<size_t>(rows * columns)) {}

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  std::vector<T>& values() { return values_; }
  const std::vector<T>& values() const { return values_; }
  T* row(int64_t r) { return values_.data() + r * columns_; }
  const T* row(int64_t r) const { return values_.data() + r * columns_; }
  T& operator()(int64_t r, int64_t c) { return values_[static_cast<size_t>(r * columns_ + c)]; }
  const T& operator()(int64_t r, int64_t c) const { return values_[static_cast<size_t>(r * columns_ + c)]; }

  View<const T, 2> view() const { return View<const T, 2>(values_.data(), rows_, columns_); }
  operator View<const T, 2>() const { return view(); }  // NOLINT(google-explicit-constructor)

 private:
  int64_t rows_ = 0;
  int64_t columns_ = 0;
  std::vector<T> values_;
};

using Dense = BasicDense<double>;
using ComplexDense = BasicDense<std::complex<double>>;

Dense copy_of(DenseView a);
Dense transposed(DenseView a);
Dense product(DenseView a, DenseView b);             // a b
Dense product_transposed(DenseView a, DenseView b);  // a b^T: the logits of queries and keys
Dense transposed_product(DenseView a, DenseView b);  // a^T b
Dense sum(DenseView a, DenseView b);
Dense hadamard(DenseView a, DenseView b);      // entry by entry
Dense symmetric_part(DenseView a);             // (a + a^T) / 2
Dense antisymmetric_part(DenseView a);         // (a - a^T) / 2
Dense side_by_side(DenseView a, DenseView b);  // [a b]
Dense lower_triangle(DenseView a);             // zero above the diagonal, whatever stood there

double largest_magnitude(DenseView a);
double frobenius_norm(DenseView a);  // without overflow in between
double norm(const std::vector<double>& x);

// These fail with `what` in the text: at the first entry that is no number, by its place; for other shapes.
void require_finite(DenseView a, std::string_view what);
void require_square(DenseView a, std::string_view what);
void require_same_shape(DenseView a, DenseView b, std::string_view what);

// The power of two e with 2^(e-1) <= largest entry < 2^e; 0 for a zero matrix. Dividing by it is exact, and then
// squares neither overflow nor vanish.
int binary_exponent(DenseView a);
Dense scaled_by_power(DenseView a, int exponent);  // a * 2^exponent
// x * 2^exponent; fails where that leaves the range of double.
double scaled_back(double x, int exponent, std::string_view what);

}  // namespace phasor
