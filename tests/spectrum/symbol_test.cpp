#include "phasor/spectrum/symbol.h"

#include <numbers>

#include "linalg/matrices.h"

namespace phasor {
namespace symbol_test {

using namespace testing_support;
using std::numbers::pi;

constexpr double kRate = 0.15;

// sum_k e^{-a|k|} e^{ikw} = sinh a / (cosh a - cos w); the part beyond n lags is below 2 e^{-an} / (1 - e^{-a}).
TEST(Symbol, OfAnExponentialKernelIsKnown) {
  const int64_t n = 300;
  ToeplitzKernel kernel = zero_kernel(n, false);
  for (int64_t d = -(n - 1); d < n; ++d) kernel.at(d) = std::exp(-kRate * std::abs(static_cast<double>(d)));
  const Symbol s = symbol(kernel);
  for (size_t m = 0; m < s.values.size(); ++m) {
    EXPECT_NEAR(s.values[m].real(), std::sinh(kRate) / (std::cosh(kRate) - std::cos(s.frequencies[m])), 1e-12);
    EXPECT_NEAR(s.values[m].imag(), 0.0, 1e-12);
  }
  EXPECT_EQ(s.dominant_frequency, 0.0);
  EXPECT_NEAR(s.width, std::sinh(kRate) / (std::cosh(kRate) - 1) - std::sinh(kRate) / (std::cosh(kRate) + 1), 1e-12);
  EXPECT_EQ(s.decay_length, 7);  // e^{-0.15 * 7} is the first below 1 / e
}

TEST(Symbol, HasTheSignOfItsDefinition) {
  ToeplitzKernel kernel = zero_kernel(4, false);
  kernel.at(1) = 1.0;  // f = e^{iw}
  kernel.at(0) = 0.5;
  const Symbol s = symbol(kernel, 64);
  ASSERT_EQ(s.values.size(), 64u);
  for (size_t m = 0; m < 64; ++m) {
    EXPECT_LT(std::abs(s.values[m] - (0.5 + std::polar(1.0, s.frequencies[m]))), 1e-14);
  }
}

TEST(Symbol, FindsTheFrequencyOfAKernel) {
  const int64_t n = 64;
  ToeplitzKernel kernel = zero_kernel(n, false);
  for (int64_t d = -(n - 1); d < n; ++d) kernel.at(d) = std::cos(0.5 * static_cast<double>(d));
  const Symbol s = symbol(kernel, 4096);
  EXPECT_NEAR(s.dominant_frequency, 0.5, 0.01);
  EXPECT_EQ(s.decay_length, 3);  // cos 1.5 = 0.07
}

SummableKernel exponential() {
  SummableKernel kernel;
  for (int k = 0; k < 300; ++k) kernel.values.push_back(std::exp(-kRate * k));
  return kernel;
}

// The differences fall like 1 / n once n is past the kernel's reach.
TEST(Szego, EigenvaluesApproachASummableSymbol) {
  const SzegoComparison c = szego_comparison(exponential(), {64, 256, 512});
  EXPECT_TRUE(c.applies) << c.why;
  EXPECT_EQ(c.rank_bound, -1);
  EXPECT_NEAR(c.symbol_largest, std::sinh(kRate) / (std::cosh(kRate) - 1), 1e-9);
  EXPECT_NEAR(c.steps[0].max_difference, 0.95, 0.005);
  EXPECT_NEAR(c.steps[1].max_difference, 0.25, 0.005);
  EXPECT_LT(c.steps[2].max_difference, 0.6 * c.steps[1].max_difference);
  EXPECT_LT(c.steps[2].mean_difference, 0.6 * c.steps[1].mean_difference);
  for (const SzegoStep& step : c.steps) {
    EXPECT_LT(step.largest, c.symbol_largest);
    EXPECT_GT(step.smallest, c.symbol_smallest);
    EXPECT_EQ(step.rank, step.size);
  }
}

TEST(Szego, SaysThatRotaryKernelsHaveNoSymbol) {
  const SzegoComparison c = szego_comparison(PointKernel{{1.0, 0.3, 0.0}, {0.5, 0.3, 0.2}}, {16, 64, 256});
  EXPECT_FALSE(c.applies);
  EXPECT_EQ(c.rank_bound, 5);
  EXPECT_EQ(c.why,
            "the theorem needs a summable kernel, and 3 frequencies never decay: the symbol is a sum of point masses, "
            "the rank is at most 5 at every n, and the largest eigenvalue grows like n");
  for (const SzegoStep& step : c.steps) {
    EXPECT_EQ(step.rank, 5);
    // Each frequency brings n weight / 2 twice, zero n weight once, up to a bounded rest.
    EXPECT_NEAR(step.largest / static_cast<double>(step.size), 0.25, 1.0 / static_cast<double>(step.size));
  }
}

TEST(Szego, SaysThatAlibiGrowsWithoutBound) {
  SummableKernel alibi;
  for (int k = 0; k < 64; ++k) alibi.values.push_back(-0.5 * k);
  const SzegoComparison c = szego_comparison(alibi, {32});
  EXPECT_FALSE(c.applies);
  EXPECT_NE(c.why.find("has not decayed within its 64 lags"), std::string::npos) << c.why;
  EXPECT_EQ(error_of([] { szego_comparison(SummableKernel{}, {4}); }), "Szego: the kernel has no lag");
  EXPECT_EQ(error_of([&] { szego_comparison(alibi, {0}); }), "Szego: a matrix of size 0 was asked for");
}

}  // namespace symbol_test
}  // namespace phasor
