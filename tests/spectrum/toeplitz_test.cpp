#include "phasor/linalg/toeplitz.h"

#include <numbers>

#include "linalg/matrices.h"
#include "phasor/spectrum/relative_fit.h"

namespace phasor {
namespace toeplitz_test {

using namespace testing_support;
using Complex = std::complex<double>;

ToeplitzKernel random_kernel(int64_t size, uint32_t site, bool causal = false) {
  ToeplitzKernel kernel = zero_kernel(size, causal);
  const Dense values = random_matrix(1, 2 * size - 1, site);
  for (int64_t d = -(size - 1); d <= (causal ? 0 : size - 1); ++d) kernel.at(d) = values(0, d + size - 1);
  return kernel;
}

// Exact for a Toeplitz matrix, row constants added or not; the kernel comes back in the gauge that was named.
TEST(Toeplitz, FitOfAnExactToeplitzMatrixIsOne) {
  for (const bool causal : {false, true}) {
    const int64_t n = 20;
    const ToeplitzKernel kernel = random_kernel(n, 74, causal);
    Dense a = made(n, n, [&](int64_t r, int64_t c) { return kernel.at(c - r); });
    EXPECT_NEAR(toeplitz_share(a, causal).share, 1.0, 1e-14);
    const Dense constants = random_matrix(n, 1, 75);
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t c = 0; c < n; ++c) a(r, c) = causal && c > r ? -1e9 : a(r, c) + 3.0 * constants(r, 0);
    }
    const RelativeFitter fitter(n, causal);
    const RelativeFit fit = fitter.fit(a, KernelGauge::zero_at_origin);
    EXPECT_NEAR(fit.r2, 1.0, 1e-14);
    EXPECT_NEAR(fit.adjusted, 1.0, 1e-14);
    for (int64_t d = -(n - 1); d <= (causal ? 0 : n - 1); ++d) {
      EXPECT_NEAR(fit.kernel.at(d), kernel.at(d) - kernel.at(0), 1e-12);
    }
    for (int64_t r = 0; r < n; ++r) {
      EXPECT_NEAR(fit.row_constants[static_cast<size_t>(r)], 3.0 * constants(r, 0) + kernel.at(0), 1e-12);
    }
    const RelativeFit centred = fitter.fit(a);
    double mean = 0.0;
    for (int64_t d = -(n - 1); d <= (causal ? 0 : n - 1); ++d)
      mean += static_cast<double>(n - std::abs(d)) * centred.kernel.at(d);
    EXPECT_NEAR(mean, 0.0, 1e-10);
    EXPECT_NEAR(centred.kernel.at(-3) - centred.kernel.at(-1), kernel.at(-3) - kernel.at(-1), 1e-12);
  }
}

// R^2 of Gaussian noise is Beta(p / 2, (N - p) / 2) with p = 2n - 2 of N = n^2 - n dimensions (causal: half of both).
TEST(Toeplitz, FitOfNoiseIsTwoOverN) {
  const int64_t n = 16;
  const int trials = 300;
  for (const bool causal : {false, true}) {
    const RelativeFitter fitter(n, causal);
    double r2 = 0.0;
    double adjusted = 0.0;
    double share = 0.0;
    for (int trial = 0; trial < trials; ++trial) {
      const Dense noise = random_matrix(n, n, 1000 + static_cast<uint32_t>(trial));
      const RelativeFit fit = fitter.fit(noise);
      r2 += fit.r2 / trials;
      adjusted += fit.adjusted / trials;
      share += toeplitz_share(noise, causal).share / trials;
      EXPECT_EQ(fit.null, 2.0 / n);
    }
    const auto deviation = [&](double p, double of) {
      return std::sqrt(2 * p * (of - p) / (of * of * (of + 2)) / trials);
    };
    const double half = causal ? 0.5 : 1.0;
    EXPECT_NEAR(r2, 2.0 / n, 5 * deviation(half * (2 * n - 2), half * (n * n - n)));
    EXPECT_NEAR(adjusted, 0.0, 5 * deviation(half * (2 * n - 2), half * (n * n - n)) / (1 - 2.0 / n));
    const double entries = causal ? n * (n + 1) / 2 : n * n;
    const double diagonals = causal ? n : 2 * n - 1;
    EXPECT_NEAR(toeplitz_share(random_matrix(n, n, 1), causal).null, diagonals / entries, 1e-15);
    EXPECT_NEAR(share, diagonals / entries, 5 * deviation(diagonals, entries));
  }
}

// Hugging Face stores ALiBi as slope * j, the paper writes slope * (j - i): one attention, one fit, two spectra.
TEST(Toeplitz, BothGaugesOfAlibiGiveTheSameNumbers) {
  const int64_t n = 24;
  const double slope = 0.5;
  const Dense content = random_matrix(n, n, 76);
  const Dense relative =
      sum(content, made(n, n, [&](int64_t i, int64_t j) { return slope * static_cast<double>(j - i); }));
  const Dense stored = sum(content, made(n, n, [&](int64_t, int64_t j) { return slope * static_cast<double>(j); }));
  for (const bool causal : {false, true}) {
    const RelativeFitter fitter(n, causal);
    const RelativeFit first = fitter.fit(relative);
    const RelativeFit second = fitter.fit(stored);
    EXPECT_NEAR(first.r2, second.r2, 1e-13);
    EXPECT_NEAR(first.adjusted, second.adjusted, 1e-13);
    EXPECT_NEAR(first.total / second.total, 1.0, 1e-13);
    EXPECT_LT(largest_difference(first.kernel.values, second.kernel.values), 1e-12);
    EXPECT_GT(std::abs(toeplitz_share(relative, causal).share - toeplitz_share(stored, causal).share), 0.01);
  }
}

TEST(Toeplitz, FitOfOddMatricesIsClear) {
  const RelativeFit constant = RelativeFitter(6).fit(made(6, 6, [](int64_t r, int64_t) { return 0.1 + 0.7 * r; }));
  EXPECT_FALSE(constant.defined);
  EXPECT_EQ(constant.r2, 0.0);
  EXPECT_FALSE(RelativeFitter(1).fit(made(1, 1, [](int64_t, int64_t) { return 4.0; })).defined);
  EXPECT_FALSE(toeplitz_share(Dense(3, 3)).defined);
  const Dense a = random_matrix(8, 8, 77);
  const RelativeFit plain = RelativeFitter(8).fit(a);
  const RelativeFit huge = RelativeFitter(8).fit(scaled_by_power(a, 990));
  EXPECT_EQ(huge.r2, plain.r2);
  EXPECT_EQ(huge.kernel.at(3), std::ldexp(plain.kernel.at(3), 990));
  EXPECT_EQ(error_of([] { RelativeFitter(0); }), "a Toeplitz fit of a matrix of size 0: it must have at least one row");
  EXPECT_EQ(error_of([&] { RelativeFitter(9).fit(a); }), "a fitter for matrices of size 9 was given one of size 8");
  Dense bad = a;
  bad(5, 5) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of([&] { RelativeFitter(8).fit(bad); }),
            "a Toeplitz fit: entry (5, 5) is nan; only finite numbers can be taken");
}

}  // namespace toeplitz_test
}  // namespace phasor
