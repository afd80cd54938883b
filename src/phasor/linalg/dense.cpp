#include "phasor/linalg/dense.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "phasor/base/error.h"
#include "phasor/linalg/lapack.h"

namespace phasor {
namespace {

template <class Entry>
Dense made(int64_t rows, int64_t columns, const Entry& entry) {
  Dense result(rows, columns);
  for (int64_t r = 0; r < rows; ++r) {
    double* const out = result.row(r);
    for (int64_t c = 0; c < columns; ++c) out[c] = entry(r, c);
  }
  return result;
}

// Two exact factors of 2^exponent, which alone may be out of range.
std::pair<double, double> factors_of_power(int exponent) {
  return {std::ldexp(1.0, exponent / 2), std::ldexp(1.0, exponent - exponent / 2)};
}

}  // namespace

Dense copy_of(DenseView a) {
  return made(a.extent(0), a.extent(1), [&](int64_t r, int64_t c) { return a.row(r)[c]; });
}

Dense transposed(DenseView a) {
  return made(a.extent(1), a.extent(0), [&](int64_t r, int64_t c) { return a.row(c)[r]; });
}

Dense product(DenseView a, DenseView b) {
  if (a.extent(1) != b.extent(0)) {
    fail("a product of {} x {} and {} x {} matrices is not defined", a.extent(0), a.extent(1), b.extent(0),
         b.extent(1));
  }
  Dense result(a.extent(0), b.extent(1));
  multiply(a, false, b, false, result);
  return result;
}

Dense product_transposed(DenseView a, DenseView b) {
  if (a.extent(1) != b.extent(1)) {
    fail("rows of width {} and {} have no products: queries and keys are of one width", a.extent(1), b.extent(1));
  }
  Dense result(a.extent(0), b.extent(0));
  multiply(a, false, b, true, result);
  return result;
}

Dense transposed_product(DenseView a, DenseView b) {
  if (a.extent(0) != b.extent(0)) fail("columns of height {} and {} have no products", a.extent(0), b.extent(0));
  Dense result(a.extent(1), b.extent(1));
  multiply(a, true, b, false, result);
  return result;
}

Dense sum(DenseView a, DenseView b) {
  require_same_shape(a, b, "a sum");
  return made(a.extent(0), a.extent(1), [&](int64_t r, int64_t c) { return a.row(r)[c] + b.row(r)[c]; });
}

Dense hadamard(DenseView a, DenseView b) {
  require_same_shape(a, b, "an entrywise product");
  return made(a.extent(0), a.extent(1), [&](int64_t r, int64_t c) { return a.row(r)[c] * b.row(r)[c]; });
}

Dense symmetric_part(DenseView a) {
  require_square(a, "a symmetric part");
  return made(a.extent(0), a.extent(0), [&](int64_t r, int64_t c) { return 0.5 * a.row(r)[c] + 0.5 * a.row(c)[r]; });
}

Dense antisymmetric_part(DenseView a) {
  require_square(a, "an antisymmetric part");
  return made(a.extent(0), a.extent(0), [&](int64_t r, int64_t c) { return 0.5 * a.row(r)[c] - 0.5 * a.row(c)[r]; });
}

Dense side_by_side(DenseView a, DenseView b) {
  if (a.extent(0) != b.extent(0))
    fail("matrices of {} and {} rows cannot stand side by side", a.extent(0), b.extent(0));
  Dense result(a.extent(0), a.extent(1) + b.extent(1));
  for (int64_t r = 0; r < result.rows(); ++r) {
    std::copy_n(a.row(r), a.extent(1), result.row(r));
    std::copy_n(b.row(r), b.extent(1), result.row(r) + a.extent(1));
  }
  return result;
}

Dense lower_triangle(DenseView a) {
  return made(a.extent(0), a.extent(1), [&](int64_t r, int64_t c) { return c <= r ? a.row(r)[c] : 0.0; });
}

double largest_magnitude(DenseView a) {
  double largest = 0.0;
  for (int64_t r = 0; r < a.extent(0); ++r) {
    const double* const row = a.row(r);
    for (int64_t c = 0; c < a.extent(1); ++c) largest = std::max(largest, std::abs(row[c]));
  }
  return largest;
}

double frobenius_norm(DenseView a) {
  const int exponent = binary_exponent(a);
  const auto [half, rest] = factors_of_power(-exponent);
  double squares = 0.0;
  for (int64_t r = 0; r < a.extent(0); ++r) {
    const double* const row = a.row(r);
    for (int64_t c = 0; c < a.extent(1); ++c) {
      const double x = row[c] * half * rest;
      squares += x * x;
    }
  }
  return std::ldexp(std::sqrt(squares), exponent);
}

double norm(const std::vector<double>& x) {
  return frobenius_norm(DenseView(x.data(), int64_t{1}, static_cast<int64_t>(x.size())));
}

void require_finite(DenseView a, std::string_view what) {
  for (int64_t r = 0; r < a.extent(0); ++r) {
    const double* const row = a.row(r);
    for (int64_t c = 0; c < a.extent(1); ++c) {
      if (!std::isfinite(row[c]))
        fail("{}: entry ({}, {}) is {}; only finite numbers can be taken", what, r, c, row[c]);
    }
  }
}

void require_square(DenseView a, std::string_view what) {
  if (a.extent(0) != a.extent(1)) fail("{}: a square matrix is needed, not {} x {}", what, a.extent(0), a.extent(1));
}

void require_same_shape(DenseView a, DenseView b, std::string_view what) {
  if (a.extent(0) != b.extent(0) || a.extent(1) != b.extent(1)) {
    fail("{}: two matrices of one shape are needed, not {} x {} and {} x {}", what, a.extent(0), a.extent(1),
         b.extent(0), b.extent(1));
  }
}

int binary_exponent(DenseView a) {
  int exponent = 0;
  std::frexp(largest_magnitude(a), &exponent);
  return exponent;
}

Dense scaled_by_power(DenseView a, int exponent) {
  if (exponent == 0) return copy_of(a);
  const std::pair<double, double> factors = factors_of_power(exponent);
  return made(a.extent(0), a.extent(1),
              [&](int64_t r, int64_t c) { return a.row(r)[c] * factors.first * factors.second; });
}

double scaled_back(double x, int exponent, std::string_view what) {
  const double result = std::ldexp(x, exponent);
  if (!std::isfinite(result))
    fail("{} is {} * 2^{}, beyond the largest double; divide the matrix first", what, x, exponent);
  return result;
}

}  // namespace phasor
