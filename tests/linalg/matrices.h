#pragma once
// Matrices for the tests of spectra.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "phasor/linalg/dense.h"
#include "phasor/linalg/lapack.h"
#include "phasor/random/distributions.h"

namespace phasor::testing_support {

constexpr double kUnit = std::numeric_limits<double>::epsilon();

inline Dense random_matrix(int64_t rows, int64_t columns, uint32_t site, double mean = 0.0) {
  const RandomStream stream{.seed = 5, .purpose = Purpose::test, .site = site};
  Dense a(rows, columns);
  for (size_t i = 0; i < a.values().size(); ++i) a.values()[i] = mean + normal(stream, i);
  return a;
}

// The same mean row added to every row: content that all tokens share.
inline Dense with_shared_row(Dense a, uint32_t site, double factor = 1.0) {
  const Dense row = random_matrix(1, a.columns(), site);
  for (int64_t r = 0; r < a.rows(); ++r) {
    for (int64_t c = 0; c < a.columns(); ++c) a(r, c) += factor * row(0, c);
  }
  return a;
}

inline Dense scaled(Dense a, double factor) {
  for (double& value : a.values()) value *= factor;
  return a;
}

inline Dense made(int64_t rows, int64_t columns, const std::function<double(int64_t, int64_t)>& entry) {
  Dense a(rows, columns);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) a(r, c) = entry(r, c);
  }
  return a;
}

inline Dense identity(int64_t size) {
  return made(size, size, [](int64_t r, int64_t c) { return r == c ? 1.0 : 0.0; });
}

// Rows turned by their position in neighbouring pairs.
inline Dense rotated(Dense x, const std::vector<double>& frequencies) {
  for (int64_t r = 0; r < x.rows(); ++r) {
    for (size_t m = 0; m < frequencies.size(); ++m) {
      double* const pair = x.row(r) + 2 * m;
      const double angle = frequencies[m] * static_cast<double>(r);
      const double first = std::cos(angle) * pair[0] - std::sin(angle) * pair[1];
      pair[1] = std::sin(angle) * pair[0] + std::cos(angle) * pair[1];
      pair[0] = first;
    }
  }
  return x;
}

inline std::vector<double> frequencies(int64_t width, double base = 10000.0) {
  std::vector<double> result;
  for (int64_t m = 0; m < width / 2; ++m) {
    result.push_back(std::pow(base, -2.0 * static_cast<double>(m) / static_cast<double>(width)));
  }
  return result;
}

// Rising, by the real matrix [[Re, -Im], [Im, Re]], which has each eigenvalue twice.
inline std::vector<double> hermitian_values(const ComplexDense& a) {
  const int64_t n = a.rows();
  const Dense real = made(2 * n, 2 * n, [&](int64_t r, int64_t c) {
    const std::complex<double> z = a(r % n, c % n);
    return r / n == c / n ? z.real() : r < n ? -z.imag() : z.imag();
  });
  const std::vector<double> twice = symmetric_eigenvalues(real);
  std::vector<double> values;
  for (size_t i = 0; i < twice.size(); i += 2) values.push_back(twice[i]);
  return values;
}

inline double largest_difference(DenseView a, DenseView b) {
  double largest = 0.0;
  for (int64_t r = 0; r < a.extent(0); ++r) {
    for (int64_t c = 0; c < a.extent(1); ++c) largest = std::max(largest, std::abs(a(r, c) - b(r, c)));
  }
  return largest;
}

// Lists of different lengths are filled up with zeros.
inline double largest_difference(std::vector<double> a, std::vector<double> b) {
  const size_t count = std::max(a.size(), b.size());
  a.resize(count);
  b.resize(count);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double largest = 0.0;
  for (size_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace phasor::testing_support
