#include "phasor/linalg/lapack.h"

#include <omp.h>

#include <atomic>

#include "linalg/matrices.h"
#include "phasor/base/parallel.h"
#include "phasor/base/threads.h"

namespace phasor {
namespace lapack_test {

using namespace testing_support;
using Complex = std::complex<double>;

TEST(Lapack, SingularValuesAreRootsOfTheGramsEigenvalues) {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{7, 7}, {9, 4}, {4, 9}}) {
    const Dense a = random_matrix(rows, columns, 1);
    const std::vector<double> values = singular_values(a);
    ASSERT_EQ(std::ssize(values), std::min(rows, columns));
    EXPECT_TRUE(std::is_sorted(values.rbegin(), values.rend()));
    std::vector<double> squares;
    for (const double value : values) squares.push_back(value * value);
    EXPECT_LT(largest_difference(squares, symmetric_eigenvalues(transposed_product(a, a))), 50 * kUnit * squares[0]);
  }
}

TEST(Lapack, SymmetricVectorsAreEigenvectors) {
  const Dense a = symmetric_part(random_matrix(12, 12, 2));
  const SymmetricVectors s = symmetric_vectors(a);
  for (int64_t i = 0; i < 12; ++i) {
    for (int64_t r = 0; r < 12; ++r) {
      double total = 0.0;
      for (int64_t c = 0; c < 12; ++c) total += a(r, c) * s.vectors(i, c);
      EXPECT_NEAR(total, s.values[static_cast<size_t>(i)] * s.vectors(i, r), 200 * kUnit);
    }
  }
}

// The residual is orthogonal to what a can make; of the solutions of a matrix without full rank the smallest is in the
// span of its rows.
TEST(Lapack, LeastSquaresIsTheSmallestOfTheBest) {
  for (const auto& [rows, columns, rank] : {std::tuple<int64_t, int64_t, int64_t>{9, 4, 4}, {4, 9, 4}, {9, 6, 3}}) {
    const Dense a = product(random_matrix(rows, rank, 91), random_matrix(rank, columns, 92));
    const Dense b = random_matrix(rows, 2, 93);
    const LeastSquares fit = least_squares(a, b, 1e-13);
    EXPECT_EQ(fit.rank, rank);
    Dense rest = product(a, fit.solution);
    for (size_t i = 0; i < rest.values().size(); ++i) rest.values()[i] -= b.values()[i];
    EXPECT_LT(largest_magnitude(transposed_product(a, rest)), 1e4 * kUnit);
    // x = a^+ a x.
    const LeastSquares again = least_squares(a, product(a, fit.solution), 1e-13);
    EXPECT_LT(largest_difference(again.solution, fit.solution), 1e4 * kUnit * largest_magnitude(fit.solution));
  }
  EXPECT_EQ(least_squares(Dense(3, 2), random_matrix(3, 1, 94), 1e-13).rank, 0);
}

// The matrix is not its own transpose, so that a mistaken order of storage would show in the vectors.
TEST(Lapack, HermitianEndsHaveTheirVectors) {
  const Dense re = symmetric_part(random_matrix(10, 10, 3));
  const Dense im = antisymmetric_part(random_matrix(10, 10, 4));
  ComplexDense a(10, 10);
  for (size_t i = 0; i < 100; ++i) a.values()[i] = {re.values()[i], im.values()[i]};
  const std::vector<double> values = hermitian_values(a);
  const HermitianEnds ends = hermitian_ends(a, true);
  EXPECT_NEAR(ends.smallest, values.front(), 100 * kUnit);
  EXPECT_NEAR(ends.largest, values.back(), 100 * kUnit);
  double trace = 0.0;
  double squares = 0.0;
  for (const double value : values) trace += value, squares += value * value;
  for (int64_t i = 0; i < 10; ++i) trace -= a(i, i).real();
  for (const Complex& x : a.values()) squares -= std::norm(x);
  EXPECT_NEAR(trace, 0.0, 200 * kUnit);
  EXPECT_NEAR(squares, 0.0, 2000 * kUnit);
  for (const auto& [value, x] : {std::pair(ends.smallest, ends.smallest_vector), {ends.largest, ends.largest_vector}}) {
    double length = 0.0;
    for (int64_t r = 0; r < 10; ++r) {
      Complex total = 0.0;
      for (int64_t c = 0; c < 10; ++c) total += a(r, c) * x[static_cast<size_t>(c)];
      EXPECT_LT(std::abs(total - value * x[static_cast<size_t>(r)]), 200 * kUnit);
      length += std::norm(x[static_cast<size_t>(r)]);
    }
    EXPECT_NEAR(length, 1.0, 50 * kUnit);
  }
}

TEST(Lapack, KnowsHowWellEigenvaluesAreConditioned) {
  // [[1, g], [0, 2]]: vectors (1, 0) and (g, 1), so 1 / s = sqrt(1 + g^2) for both.
  const double g = 100.0;
  const Dense a = made(2, 2, [&](int64_t r, int64_t c) { return r == 1 && c == 0 ? 0.0 : r == c ? 1.0 + r : g; });
  const ConditionedEigenvalues e = conditioned_eigenvalues(a);
  for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(e.conditions[i], std::sqrt(1.0 + g * g), 1e-9 * g);
  // Normal matrices: 1, complex pairs included.
  const ConditionedEigenvalues turn = conditioned_eigenvalues(antisymmetric_part(random_matrix(6, 6, 5)));
  for (const double condition : turn.conditions) EXPECT_NEAR(condition, 1.0, 1e-12);
}

TEST(Lapack, ConditionsFromFactorsAreThoseOfTheProduct) {
  const Dense left = random_matrix(20, 3, 6);
  const Dense right = random_matrix(20, 3, 7);
  const ConditionedEigenvalues small = conditioned_eigenvalues_of_factors(left, right);
  const ConditionedEigenvalues whole = conditioned_eigenvalues(product_transposed(left, right));
  for (size_t i = 0; i < small.values.size(); ++i) {
    size_t nearest = 0;
    for (size_t k = 0; k < whole.values.size(); ++k) {
      if (std::abs(whole.values[k] - small.values[i]) < std::abs(whole.values[nearest] - small.values[i])) nearest = k;
    }
    EXPECT_LT(std::abs(whole.values[nearest] - small.values[i]), 1e-12 * small.conditions[i]);
    EXPECT_NEAR(whole.conditions[nearest] / small.conditions[i], 1.0, 1e-9);
  }
}

// q drops out of (q r)^T (q r).
TEST(Lapack, QrTriangleHasTheGramOfTheMatrix) {
  const Dense a = random_matrix(15, 4, 8);
  const Dense r = qr_triangle(a);
  EXPECT_LT(largest_difference(transposed_product(r, r), transposed_product(a, a)), 200 * kUnit);
  for (int64_t row = 0; row < 4; ++row) {
    for (int64_t column = 0; column < row; ++column) EXPECT_EQ(r(row, column), 0.0);
  }
}

TEST(Lapack, CholeskySolvesAndRefuses) {
  const Dense x = random_matrix(9, 9, 9);
  const Dense a = sum(product_transposed(x, x), identity(9));
  std::vector<double> right(9, 1.0);
  Cholesky(a).solve(right);
  for (int64_t r = 0; r < 9; ++r) {
    double total = 0.0;
    for (int64_t c = 0; c < 9; ++c) total += a(r, c) * right[static_cast<size_t>(c)];
    EXPECT_NEAR(total, 1.0, 1e-12);
  }
  const Dense indefinite = made(2, 2, [](int64_t r, int64_t c) { return r == c ? 1.0 : 2.0; });
  EXPECT_EQ(error_of([&] { Cholesky{indefinite}; }),
            "the matrix is not positive definite: the Cholesky factorisation stopped at row 1 of 2");
}

TEST(Lapack, NamesTheEntryThatIsNoNumber) {
  Dense a = random_matrix(5, 5, 10);
  a(3, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of([&] { singular_values(a); }),
            "singular values: entry (3, 1) is nan; only finite numbers can be taken");
  EXPECT_EQ(error_of([&] { symmetric_eigenvalues(a); }),
            "symmetric eigenvalues: entry (3, 1) is nan; only finite numbers can be taken");
  a(3, 1) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_of([&] { eigenvalues(a); }), "eigenvalues: entry (3, 1) is inf; only finite numbers can be taken");
  EXPECT_EQ(error_of([&] { eigenvalues(Dense(2, 3)); }), "eigenvalues: a square matrix is needed, not 2 x 3");
  EXPECT_EQ(error_of([&] { singular_values(Dense(0, 0)); }), "singular values: the matrix is empty (0 x 0)");
  EXPECT_EQ(error_of([&] { qr_triangle(Dense(2, 3)); }),
            "a thin QR factorisation needs at least as many rows as columns, not 2 x 3");
}

// LAPACK's own threads are off, whatever the caller allows, and OpenMP's count comes back as it was.
TEST(Lapack, SameBitsInsideAndOutsideOfThreads) {
  const ThreadCount four(4);
  const Dense a = random_matrix(60, 60, 11);
  const std::vector<double> alone = singular_values(a);
  const std::vector<Complex> values = eigenvalues(a);
  EXPECT_EQ(omp_get_max_threads(), 4);
  std::atomic<int> equal = 0;
  parallel_for(8, 1, [&](int64_t, int64_t) {
    if (singular_values(a) == alone && eigenvalues(a) == values) ++equal;
  });
  EXPECT_EQ(equal, 8);
}

}  // namespace lapack_test
}  // namespace phasor
