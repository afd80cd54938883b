#include "phasor/spectrum/numerical_range.h"

#include <numbers>

#include "linalg/matrices.h"
#include "phasor/linalg/lapack.h"

namespace phasor {
namespace numerical_range_test {

using namespace testing_support;
using std::numbers::pi;
using Complex = std::complex<double>;

// Re(e^{-i angle} z) - h at the worst angle: positive outside of all support lines' polygon.
double excess(const NumericalRange& range, Complex z) {
  double worst = -std::numeric_limits<double>::infinity();
  for (size_t k = 0; k < range.support.size(); ++k) {
    worst = std::max(worst, (std::polar(1.0, -range.angles[k]) * z).real() - range.support[k]);
  }
  return worst;
}

// A nilpotent Jordan block of size n has a disc of radius cos(pi / (n + 1)).
TEST(NumericalRange, OfAJordanBlockIsADisc) {
  for (const int64_t n : {2, 3, 7}) {
    const Dense a = made(n, n, [](int64_t r, int64_t c) { return c == r + 1 ? 1.0 : 0.0; });
    const NumericalRange w = numerical_range(a, 32);
    const double radius = std::cos(pi / static_cast<double>(n + 1));
    ASSERT_EQ(w.support.size(), 32u);
    for (size_t k = 0; k < 32; ++k) {
      EXPECT_NEAR(w.support[k], radius, 1e-14);
      EXPECT_LT(std::abs(w.boundary[k] - std::polar(radius, w.angles[k])), 1e-12);
    }
    EXPECT_NEAR(w.radius, radius, 1e-14);
    EXPECT_NEAR(w.radius_bound, radius / std::cos(pi / 32), 1e-13);  // the worst case of the bound
  }
}

// [[a, 2c], [0, -a]]: the ellipse with foci +-a and minor axis 2c.
TEST(NumericalRange, OfA2x2MatrixIsAnEllipse) {
  const double a = 1.5;
  const double c = 0.7;
  const Dense m = made(2, 2, [&](int64_t r, int64_t col) {
    return r == col ? (r == 0 ? a : -a) : r == 0 ? 2 * c : 0.0;
  });
  const NumericalRange w = numerical_range(m, 64);
  const double major = std::hypot(a, c);
  for (size_t k = 0; k < w.angles.size(); ++k) {
    EXPECT_NEAR(w.support[k], std::hypot(major * std::cos(w.angles[k]), c * std::sin(w.angles[k])), 1e-14);
  }
  EXPECT_NEAR(w.radius, major, 1e-14);
}

TEST(NumericalRange, OfANormalMatrixIsTheHullOfItsEigenvalues) {
  const Dense a = antisymmetric_part(random_matrix(6, 6, 40));
  double largest = 0.0;
  for (const Complex& value : eigenvalues(a)) largest = std::max(largest, value.imag());
  const NumericalRange w = numerical_range(a, 16);
  EXPECT_NEAR(w.radius, largest, 1e-13);
  EXPECT_NEAR(w.radius_angle, pi / 2, 1e-6);
  for (size_t k = 0; k < w.angles.size(); ++k) {
    EXPECT_NEAR(w.support[k], largest * std::abs(std::sin(w.angles[k])), 1e-13);
  }
}

// The peak lies between the angles of a coarse grid; the same radius comes from any grid.
TEST(NumericalRange, RefinesTheRadiusBeyondItsGrid) {
  for (uint32_t site = 41; site < 51; ++site) {
    const Dense a = random_matrix(9, 9, site);
    const NumericalRange fine = numerical_range(a, 720);
    const NumericalRange coarse = numerical_range(a, 24);
    EXPECT_NEAR(coarse.radius / fine.radius, 1.0, 1e-10) << site;
    EXPECT_LE(coarse.radius, coarse.radius_bound);
    EXPECT_LE(fine.radius, coarse.radius_bound * (1 + 1e-14));
    EXPECT_LE(fine.radius_bound, fine.radius / std::cos(pi / 720) * (1 + 1e-14));
    EXPECT_LE(fine.radius, singular_values(a)[0] * (1 + 1e-14));
    EXPECT_GE(fine.radius, 0.5 * singular_values(a)[0]);
  }
}

TEST(NumericalRange, ContainsEigenvaluesAndNothingBeyondItsBoundary) {
  const Dense a = random_matrix(12, 12, 52);
  const NumericalRange w = numerical_range(a, 64);
  for (const Complex& value : eigenvalues(a)) EXPECT_LT(excess(w, value), 1e-12);
  for (size_t k = 0; k < w.boundary.size(); ++k) {
    EXPECT_NEAR(excess(w, w.boundary[k]), 0.0, 1e-12);
    EXPECT_NEAR(excess(w, w.boundary[k] * 1.01), 0.01 * w.support[k], 0.01 * w.radius);
    EXPECT_GT(excess(w, w.boundary[k] + 0.01 * std::polar(1.0, w.angles[k])), 0.0099);
  }
}

TEST(NumericalRange, OfFactorsIsThatOfTheProduct) {
  const Dense q = random_matrix(30, 4, 53);
  const Dense k = with_shared_row(random_matrix(30, 4, 54), 55);
  for (const Dense& keys : {k, q, scaled(q, -1.0)}) {  // the last: W is on the negative axis and has its end at 0
    const NumericalRange small = numerical_range_of_factors(q, keys, 32);
    const NumericalRange whole = numerical_range(product_transposed(q, keys), 32);
    EXPECT_LT(largest_difference(small.support, whole.support), 1e-12 * whole.radius);
    EXPECT_NEAR(small.radius, whole.radius, 1e-12 * whole.radius);
  }
}

// Entrywise with a correlation matrix: W(A o C) lies in W(A).
TEST(NumericalRange, OfAnEntrywiseProductLiesWithin) {
  const Dense a = random_matrix(10, 10, 56);
  const Dense c = made(10, 10, [](int64_t r, int64_t col) { return std::cos(0.7 * static_cast<double>(r - col)); });
  const NumericalRange outer = numerical_range(a), inner = numerical_range(hadamard(a, c));
  const NumericalRange larger = numerical_range(scaled(a, 1.001));
  for (size_t k = 0; k < outer.support.size(); ++k) {
    EXPECT_LE(inner.support[k], outer.support[k] + 1e-12 * outer.radius);
    EXPECT_NEAR(larger.support[k], 1.001 * outer.support[k], 1e-12 * outer.radius);
  }
}

TEST(NumericalRange, OfOddMatricesIsClear) {
  const NumericalRange point = numerical_range(made(1, 1, [](int64_t, int64_t) { return -3.0; }), 8);
  EXPECT_EQ(point.radius, 3.0);
  EXPECT_NEAR(std::abs(point.boundary[3] + 3.0), 0.0, 1e-15);
  EXPECT_EQ(numerical_range(Dense(3, 3)).radius, 0.0);
  const Dense a = random_matrix(5, 5, 57);
  EXPECT_EQ(numerical_range(scaled_by_power(a, 900)).radius, std::ldexp(numerical_range(a).radius, 900));
  EXPECT_EQ(error_of([] { numerical_range(Dense(0, 0)); }), "an empty matrix (0 x 0) has no numerical range");
  EXPECT_EQ(error_of([&] { numerical_range(a, 2); }), "a numerical range needs at least 4 angles, not 2");
}

}  // namespace numerical_range_test
}  // namespace phasor
