#include "phasor/spectrum/majorization.h"

#include <complex>

#include "linalg/matrices.h"
#include "phasor/linalg/lapack.h"

namespace phasor {
namespace majorization_test {

using namespace testing_support;

Dense gram(int64_t n, int64_t rank, uint32_t site) {
  const Dense x = random_matrix(n, rank, site);
  return product_transposed(x, x);
}

Dense cosines(int64_t n, double frequency) {
  return made(n, n, [&](int64_t r, int64_t c) { return std::cos(frequency * static_cast<double>(r - c)); });
}

TEST(Majorization, ComparesPartialSums) {
  const Majorization even = majorization({2, 2, 2}, {1, 5, 0});
  EXPECT_TRUE(even.weak && even.full);
  EXPECT_EQ(even.gap, 0.0);
  const Majorization reversed = majorization({1, 5, 0}, {2, 2, 2});
  EXPECT_FALSE(reversed.weak);
  EXPECT_EQ(reversed.gap, 3.0);
  EXPECT_EQ(reversed.at, 1);
  const Majorization smaller = majorization({2, 1}, {3, 3, 0});
  EXPECT_TRUE(smaller.weak);
  EXPECT_FALSE(smaller.full);
  EXPECT_EQ(smaller.sum_difference, -3.0);
  EXPECT_EQ(error_of([] { majorization({}, {}); }), "majorisation of empty spectra");
  EXPECT_EQ(error_of([] { majorization({std::nan("")}, {1.0}); }),
            "majorisation: a value is nan; only finite numbers can be compared");
}

// One complex frequency is a unitary similarity: W o e^{i theta (i - j)} = D W D^*, and no eigenvalue moves.
TEST(KnownTruth, OneComplexFrequencyIsIsospectral) {
  const int64_t n = 20;
  const Dense w = gram(n, n, 100);
  ComplexDense turned(n, n);
  for (int64_t r = 0; r < n; ++r) {
    for (int64_t c = 0; c < n; ++c) turned(r, c) = w(r, c) * std::polar(1.0, 0.37 * static_cast<double>(r - c));
  }
  const std::vector<double> before = symmetric_eigenvalues(w);
  EXPECT_LT(largest_difference(hermitian_values(turned), before), 100 * kUnit * before.back());
}

// With complex content the real part may grow: z = (1, i), turned by a quarter from one place to the next.
TEST(KnownTruth, ComplexContentOfOneFrequencyCanExpand) {
  const std::complex<double> z[] = {{1.0, 0.0}, {0.0, 1.0}};
  const auto real_part = [&](double angle) {
    return made(2, 2, [&](int64_t r, int64_t c) {
      return (z[r] * std::conj(z[c]) * std::polar(1.0, angle * static_cast<double>(r - c))).real();
    });
  };
  EXPECT_LT(largest_difference(symmetric_eigenvalues(real_part(0.0)), {1.0, 1.0}), 8 * kUnit);
  EXPECT_LT(largest_difference(symmetric_eigenvalues(real_part(std::acos(0.0))), {0.0, 2.0}), 8 * kUnit);
}

// Its real part, or a mean of frequencies over ONE shared content, is an entrywise product with a correlation matrix:
// the spectrum is majorised, its sum is kept, and its largest value falls.
TEST(KnownTruth, RealPartWithOneSharedContentIsMajorised) {
  const int64_t n = 20;
  for (uint32_t site = 101; site < 121; ++site) {
    const Dense w = gram(n, n, site);
    const std::vector<double> before = symmetric_eigenvalues(w);
    for (const Dense& c : {cosines(n, 0.5), scaled(sum(cosines(n, 1.0), cosines(n, 0.1)), 0.5)}) {
      const Majorization m = majorization(symmetric_eigenvalues(hadamard(w, c)), before);
      EXPECT_TRUE(m.full);
      EXPECT_LT(std::abs(m.sum_difference), m.tolerance);
      EXPECT_LT(symmetric_eigenvalues(hadamard(w, c)).back(), before.back());
      for (const BoundCheck& check : {schur_upper(w, c), schur_lower(w, c), bapat_sunder(w, c)}) {
        EXPECT_STREQ(check.verdict(), "holds") << check.name << ": " << check.why;
      }
    }
  }
}

// sin(theta (i - j)) is antisymmetric, and a difference of cosines is indefinite: no theorem speaks, and it shows.
TEST(Majorization, SaysWhichHypothesisFails) {
  const Dense w = gram(12, 12, 122);
  const Dense difference = sum(cosines(12, 1.0), scaled(cosines(12, 0.1), -1.0));
  const BoundCheck schur = schur_upper(w, difference);
  EXPECT_STREQ(schur.verdict(), "does not apply");
  EXPECT_EQ(schur.why.find("T is not positive semidefinite"), 0u) << schur.why;
  EXPECT_FALSE(bapat_sunder(w, difference).holds);
  const Dense sine = made(12, 12, [](int64_t r, int64_t c) { return std::sin(0.5 * static_cast<double>(r - c)); });
  EXPECT_EQ(schur_upper(w, sine).why, "T is not symmetric");
  EXPECT_EQ(schur_upper(random_matrix(12, 12, 123), cosines(12, 1.0)).why, "A is not symmetric");
  const Dense indefinite = symmetric_part(random_matrix(12, 12, 124));
  EXPECT_TRUE(schur_upper(indefinite, cosines(12, 1.0)).applies);  // a unit diagonal is enough
  EXPECT_FALSE(schur_upper(indefinite, gram(12, 3, 125)).applies);
  EXPECT_TRUE(schur_upper(w, gram(12, 3, 125)).applies);
}

TEST(Majorization, AndoHornJohnsonHoldsOnRandomPairs) {
  double closest = 1e300;
  for (uint32_t i = 0; i < 200; ++i) {
    const int64_t n = 4 + static_cast<int64_t>(i % 9);
    const Dense a = random_matrix(n, n, 3000 + i);
    const Dense x = random_matrix(1 + static_cast<int64_t>(i % 4), n, 4000 + i);
    const Dense y = random_matrix(x.rows(), n, 5000 + i);
    const BoundCheck check = ando_horn_johnson(a, x, y);
    ASSERT_STREQ(check.verdict(), "holds") << i << ": " << check.measured << " above " << check.bound;
    closest = std::min(closest, check.bound / check.measured);
  }
  EXPECT_LT(closest, 1.5);  // the bound is not idle
  // Rank one with lengths 1 leaves the singular values alone: equality.
  const Dense a = random_matrix(6, 6, 126);
  const Dense signs = made(1, 6, [](int64_t, int64_t c) { return c % 2 == 0 ? 1.0 : -1.0; });
  const BoundCheck equal = ando_horn_johnson(a, signs, signs);
  EXPECT_TRUE(equal.holds);
  EXPECT_NEAR(equal.measured / equal.bound, 1.0, 1e-13);
}

TEST(Majorization, WeylBoundsWhatABiasMoves) {
  const int64_t n = 20;
  const Dense a = gram(n, 8, 127);
  const Dense alibi = made(n, n, [](int64_t r, int64_t c) { return -0.39 * std::abs(static_cast<double>(r - c)); });
  for (const BoundCheck& check : {weyl_singular(a, alibi), weyl_symmetric(a, alibi)}) {
    EXPECT_TRUE(check.holds) << check.name;
    EXPECT_GT(check.measured, 0.1 * check.bound);
  }
  const BoundCheck shift = weyl_symmetric(a, identity(n));  // moves every eigenvalue by the norm itself
  EXPECT_NEAR(shift.measured, shift.bound, 1e-12);
  EXPECT_TRUE(shift.holds);
}

}  // namespace majorization_test
}  // namespace phasor
