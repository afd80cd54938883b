#include "phasor/spectrum/toeplitz_agreement.h"

#include "linalg/matrices.h"
#include "phasor/linalg/lapack.h"

namespace phasor {
namespace toeplitz_agreement_test {

using namespace testing_support;

// sin and cos of geometrically spaced frequencies, side by side.
Dense sinusoids(int64_t positions, int64_t width) {
  return made(positions, width, [&](int64_t i, int64_t c) {
    const double angle = static_cast<double>(i) * std::pow(10000.0, -2.0 * static_cast<double>(c / 2) / width);
    return c % 2 == 0 ? std::sin(angle) : std::cos(angle);
  });
}

Dense centred(Dense x) {
  for (int64_t c = 0; c < x.columns(); ++c) {
    double mean = 0.0;
    for (int64_t r = 0; r < x.rows(); ++r) mean += x(r, c) / static_cast<double>(x.rows());
    for (int64_t r = 0; r < x.rows(); ++r) x(r, c) -= mean;
  }
  return x;
}

TEST(ToeplitzAgreement, IsOneForToeplitzWithConstants) {
  const int64_t n = 14;
  const Dense rows = random_matrix(n, 1, 300), keys = random_matrix(n, 1, 301), lags = random_matrix(2 * n, 1, 302);
  const Dense a = made(n, n, [&](int64_t i, int64_t j) { return rows(i, 0) + 3.0 * keys(j, 0) + lags(j - i + n, 0); });
  for (const bool causal : {false, true}) {
    const auto found = ToeplitzAgreementFitter(n, causal).fit(a, a);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->share, 1.0, 1e-10);
    EXPECT_NEAR(found->reliability, 1.0, 1e-10);
  }
}

// What centring adds is a constant per key; a fit without one takes it for what is not Toeplitz.
TEST(ToeplitzAgreement, CentredSinusoidsNeedAConstantPerKey) {
  const int64_t n = 18;
  const Dense p = sinusoids(n, 16), shifted = centred(p);
  const RelativeFitter without(n);
  EXPECT_NEAR(without.fit(product_transposed(p, p)).r2, 1.0, 1e-10) << "not centred";
  const double centred_r2 = without.fit(product_transposed(shifted, shifted)).r2;
  EXPECT_LT(centred_r2, 0.985) << "centred: 0.980";
  const Dense gram = product_transposed(shifted, shifted);
  const auto found = ToeplitzAgreementFitter(n).fit(gram, gram);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->share, 1.0, 1e-9);
}

// Sinusoids with projections that do not commute with rotations.
TEST(ToeplitzAgreement, RandomProjectionsAreNotToeplitz) {
  const int64_t n = 18;
  const Dense p = sinusoids(n, 16);
  const Dense queries = product(p, random_matrix(16, 16, 310)), keys = product(p, random_matrix(16, 16, 311));
  const Dense gram = product_transposed(queries, keys);
  const auto found = ToeplitzAgreementFitter(n).fit(gram, gram);
  ASSERT_TRUE(found);
  EXPECT_LT(found->share, 0.7);
}

// Independent noise as large as half of the signal: a share by squares would fall, that of two estimates does not.
TEST(ToeplitzAgreement, NoiseHasNoPartInTheShare) {
  const int64_t n = 16;
  const Dense lags = random_matrix(2 * n, 1, 320);
  const Dense a = made(n, n, [&](int64_t i, int64_t j) { return lags(j - i + n, 0); });
  const ToeplitzAgreementFitter fitter(n);
  double mean = 0.0, squares = 0.0;
  constexpr int kTrials = 100;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto site = static_cast<uint32_t>(400 + 2 * trial);
    const Dense first = sum(a, scaled(random_matrix(n, n, site), 0.5));
    const Dense second = sum(a, scaled(random_matrix(n, n, site + 1), 0.5));
    const auto found = fitter.fit(first, second);
    ASSERT_TRUE(found);
    mean += found->share / kTrials;
    squares += fitter.fit(first, first)->share / kTrials;
  }
  EXPECT_NEAR(mean, 1.0, 0.02);
  EXPECT_LT(squares, 0.9) << "one noisy matrix alone";
}

TEST(ToeplitzAgreement, SaysNothingOfNoiseAlone) {
  const ToeplitzAgreementFitter fitter(12);
  EXPECT_FALSE(fitter.fit(random_matrix(12, 12, 330), random_matrix(12, 12, 331)));
  EXPECT_FALSE(fitter.fit(Dense(12, 12), Dense(12, 12)));
}

}  // namespace toeplitz_agreement_test
}  // namespace phasor
