#include "phasor/spectrum/spectrum.h"

#include "linalg/matrices.h"
#include "phasor/linalg/lapack.h"

namespace phasor {
namespace spectrum_test {

using namespace testing_support;
using Complex = std::complex<double>;

TEST(Spectrum, OfADiagonalMatrixIsKnown) {
  const Dense a = made(4, 4, [](int64_t r, int64_t c) { return r != c ? 0.0 : r == 0 ? -4.0 : r == 1 ? 2.0 : r == 2; });
  const Spectrum s = spectrum(a, {.conditions = true});
  EXPECT_EQ(s.singular.values, (std::vector<double>{4.0, 2.0, 1.0, 0.0}));
  EXPECT_DOUBLE_EQ(s.singular.frobenius, std::sqrt(21.0));
  EXPECT_DOUBLE_EQ(s.singular.nuclear, 7.0);
  EXPECT_DOUBLE_EQ(s.singular.stable_rank, 21.0 / 16.0);
  EXPECT_DOUBLE_EQ(s.singular.participation_ratio, 441.0 / 273.0);
  const double entropy = 4.0 / 7 * std::log(7.0 / 4) + 2.0 / 7 * std::log(7.0 / 2) + 1.0 / 7 * std::log(7.0);
  EXPECT_NEAR(s.singular.effective_rank, std::exp(entropy), 1e-14);
  EXPECT_EQ(s.singular.numerical_rank, 3);
  EXPECT_DOUBLE_EQ(s.singular.rank_tolerance, 4 * kUnit);
  EXPECT_DOUBLE_EQ(s.singular.condition, 4.0);
  EXPECT_DOUBLE_EQ(s.symmetric->abscissa, 2.0);
  EXPECT_DOUBLE_EQ(s.symmetric->width, 6.0);
  EXPECT_EQ(s.symmetric->antisymmetry, 0.0);
  EXPECT_EQ(s.eigen->radius, 4.0);
  EXPECT_EQ(s.eigen->values[0], Complex(-4.0));
  EXPECT_EQ(s.eigen->conditions[0], 1.0);
  EXPECT_LT(s.eigen->henrici, 1e-7);
}

TEST(Spectrum, OfAJordanBlockIsAllNonNormal) {
  const Spectrum s = spectrum(made(5, 5, [](int64_t r, int64_t c) { return c == r + 1 ? 2.0 : 0.0; }));
  EXPECT_DOUBLE_EQ(s.singular.largest, 2.0);
  EXPECT_EQ(s.eigen->radius, 0.0);
  EXPECT_DOUBLE_EQ(s.eigen->henrici, 1.0);
  EXPECT_DOUBLE_EQ(s.symmetric->antisymmetry, 0.5);
  EXPECT_NEAR(s.symmetric->abscissa, 2.0 * std::cos(std::acos(-1.0) / 6.0), 1e-14);
}

// Every number of the small matrix is that of the large one; eigenvalues as far as their conditions let them.
TEST(Spectrum, CompressedEqualsDense) {
  for (const auto& [n, d] : {std::pair<int64_t, int64_t>{40, 6}, {64, 16}, {33, 16}, {20, 16}, {5, 8}}) {
    const Dense q = rotated(with_shared_row(random_matrix(n, d, 20), 22), frequencies(d));
    const Dense k = rotated(with_shared_row(random_matrix(n, d, 21), 23), frequencies(d));
    const double scale = 0.25;
    const Dense dense = testing_support::scaled(product_transposed(q, k), scale);
    const Spectrum small = spectrum_of_factors(q, k, {.conditions = true}, scale);
    const Spectrum whole = spectrum(dense, {.conditions = true, .rank_tolerance = 1e-12});
    EXPECT_EQ(small.compressed, 2 * d < n);
    EXPECT_EQ(small.size, n);
    const double allowed = 20.0 * static_cast<double>(n) * kUnit * whole.singular.largest;
    EXPECT_LT(largest_difference(small.singular.values, whole.singular.values), allowed);
    EXPECT_LT(largest_difference(small.symmetric->values, whole.symmetric->values), allowed);
    EXPECT_NEAR(small.symmetric->abscissa, whole.symmetric->abscissa, allowed);
    EXPECT_NEAR(small.symmetric->width, whole.symmetric->width, 2 * allowed);
    EXPECT_NEAR(small.symmetric->antisymmetry, whole.symmetric->antisymmetry, 1e-12);
    EXPECT_NEAR(small.singular.stable_rank, whole.singular.stable_rank, 1e-11);
    EXPECT_NEAR(small.singular.effective_rank, whole.singular.effective_rank, 1e-9);
    EXPECT_EQ(small.singular.numerical_rank, whole.singular.numerical_rank);
    EXPECT_LE(small.singular.numerical_rank, d);
    for (size_t i = 0; i < small.eigen->values.size(); ++i) {
      double nearest = 1e300;
      for (const Complex& value : whole.eigen->values) {
        nearest = std::min(nearest, std::abs(value - small.eigen->values[i]));
      }
      EXPECT_LT(nearest, allowed * small.eigen->conditions[i]) << n << " x " << d << ", eigenvalue " << i;
    }
    EXPECT_NEAR(small.eigen->conditions[0] / whole.eigen->conditions[0], 1.0, 1e-8);
    EXPECT_NEAR(small.eigen->henrici, whole.eigen->henrici, 1e-7);
  }
}

// No eigenvalue of the symmetric part is positive: its zeros are the largest, and the small matrix has some.
TEST(Spectrum, KnowsTheZerosThatItLeavesOut) {
  const Dense q = random_matrix(30, 3, 24);
  const Spectrum s = spectrum_of_factors(q, testing_support::scaled(q, -1.0));
  EXPECT_TRUE(s.compressed);
  EXPECT_NEAR(s.symmetric->abscissa, 0.0, 1e-12);
  EXPECT_NEAR(s.symmetric->width, s.singular.largest, 1e-12);
}

TEST(Spectrum, RankOfRopeLogitsIsAtMostTheHeadWidth) {
  const int64_t d = 8;
  for (const int64_t n : {8, 16, 64, 200}) {
    const Dense q = rotated(random_matrix(n, d, 25), frequencies(d));
    const Dense k = rotated(random_matrix(n, d, 26), frequencies(d));
    EXPECT_EQ(spectrum(product_transposed(q, k), {.eigenvalues = false}).singular.numerical_rank, d) << n;
  }
}

TEST(Spectrum, OfMaskedLogitsReadsTheLowerTriangleAlone) {
  const Dense a = random_matrix(20, 20, 27);
  Dense masked = a;
  for (int64_t r = 0; r < 20; ++r) {
    for (int64_t c = r + 1; c < 20; ++c) masked(r, c) = -std::numeric_limits<double>::infinity();
  }
  const Spectrum s = spectrum_of_masked(masked);
  EXPECT_TRUE(s.masked);
  EXPECT_FALSE(s.symmetric || s.eigen);
  EXPECT_LT(largest_difference(s.singular.values, singular_values(lower_triangle(a))), 1e-13);
  EXPECT_EQ(
      error_of([&] { spectrum_of_masked(masked, {}); }),
      "a masked matrix is triangular: its eigenvalues are its diagonal, whatever the model does; ask for singular "
      "values only, or take the logits without the mask");
  masked(4, 2) = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_of([&] { spectrum_of_masked(masked); }),
            "masked logits, on and below the diagonal: entry (4, 2) is -inf; only finite numbers can be taken");
}

TEST(Spectrum, OfOddMatricesIsClear) {
  const Spectrum zero = spectrum(Dense(6, 6));
  EXPECT_EQ(zero.singular.largest, 0.0);
  EXPECT_EQ(zero.singular.stable_rank, 0.0);
  EXPECT_EQ(zero.singular.numerical_rank, 0);
  EXPECT_EQ(zero.singular.condition, 0.0);
  EXPECT_EQ(zero.eigen->henrici, 0.0);

  const Spectrum constant = spectrum(made(6, 6, [](int64_t, int64_t) { return -2.0; }));
  EXPECT_NEAR(constant.singular.largest, 12.0, 1e-13);
  EXPECT_EQ(constant.singular.numerical_rank, 1);
  EXPECT_NEAR(constant.singular.effective_rank, 1.0, 1e-12);
  EXPECT_NEAR(constant.eigen->values[0].real(), -12.0, 1e-13);

  const Spectrum one = spectrum(made(1, 1, [](int64_t, int64_t) { return -3.0; }), {.conditions = true});
  EXPECT_EQ(one.singular.largest, 3.0);
  EXPECT_EQ(one.symmetric->abscissa, -3.0);
  EXPECT_EQ(one.eigen->values[0], Complex(-3.0));
  EXPECT_EQ(one.singular.condition, 1.0);

  EXPECT_EQ(error_of([] { spectrum(Dense(0, 0)); }), "an empty matrix (0 x 0) has no spectrum");
  EXPECT_EQ(error_of([] { spectrum(Dense(2, 3)); }), "a spectrum of logits: a square matrix is needed, not 2 x 3");
  EXPECT_EQ(error_of([] { spectrum_of_factors(Dense(4, 2), Dense(4, 3)); }),
            "logits from queries and keys: two matrices of one shape are needed, not 4 x 2 and 4 x 3");
  EXPECT_EQ(error_of([] { spectrum_of_factors(Dense(4, 0), Dense(4, 0)); }),
            "queries and keys of 4 x 0 make no logits");
}

// The scale is taken out by a power of two: ratios have the same bits at any of them.
TEST(Spectrum, OfHugeAndTinyMatricesLosesNothing) {
  const Dense a = random_matrix(12, 12, 28);
  const Spectrum plain = spectrum(a);
  for (const int exponent : {990, -990}) {
    const Spectrum s = spectrum(scaled_by_power(a, exponent));
    EXPECT_EQ(s.singular.largest, std::ldexp(plain.singular.largest, exponent));
    EXPECT_EQ(s.singular.frobenius, std::ldexp(plain.singular.frobenius, exponent));
    EXPECT_EQ(s.singular.stable_rank, plain.singular.stable_rank);
    EXPECT_EQ(s.eigen->henrici, plain.eigen->henrici);
    EXPECT_EQ(s.symmetric->antisymmetry, plain.symmetric->antisymmetry);
  }
  const Dense q = random_matrix(20, 4, 29);
  const Spectrum factors = spectrum_of_factors(q, q);
  const Spectrum split = spectrum_of_factors(scaled_by_power(q, 800), scaled_by_power(q, -700));
  EXPECT_EQ(split.singular.largest, std::ldexp(factors.singular.largest, 100));
  const std::string error = error_of([&] { spectrum_of_factors(scaled_by_power(q, 800), scaled_by_power(q, 800)); });
  EXPECT_NE(error.find("beyond the largest double"), std::string::npos) << error;
  const Dense huge = made(5, 5, [](int64_t, int64_t) { return 1e300; });
  EXPECT_NEAR(spectrum(huge).singular.largest / 5e300, 1.0, 1e-13);
}

}  // namespace spectrum_test
}  // namespace phasor
