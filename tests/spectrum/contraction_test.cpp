#include "phasor/spectrum/contraction.h"

#include "linalg/matrices.h"

namespace phasor {
namespace contraction_test {

using namespace testing_support;

// Content Grams A and -0.9 A in two frequencies nearly cancel without positions; turned apart they do not. The theorem
// on one shared content says nothing here, and contraction is violated by an order of magnitude.
TEST(KnownTruth, TwoFrequenciesCanExpandTheSpectrum) {
  const int64_t n = 20;
  const Dense x = random_matrix(n, 2, 130);
  const Dense q = side_by_side(x, x);
  const Dense k = side_by_side(x, scaled(x, -0.9));
  const std::vector<double> turns = {1.0, 0.05};
  const Dense rotated_q = rotated(q, turns);
  const Dense rotated_k = rotated(k, turns);
  const Contraction c = contraction({rotated_q, rotated_k}, {q, k});
  EXPECT_TRUE(c.defined);
  EXPECT_GT(c.spectral_norm, 4.0);
  EXPECT_FALSE(c.singular.weak);
  EXPECT_GT(c.singular.gap, 1.0);
}

TEST(Contraction, OfOneFrequencyWithTheSamePairIsMajorised) {
  const int64_t n = 24;
  const Dense q = random_matrix(n, 2, 131);
  // A mean of a pair and its quarter turn: content is the real part alone, and turning multiplies it by a cosine.
  const auto quarter = [](const Dense& x) {
    return made(x.rows(), 2, [&](int64_t r, int64_t c) { return c == 0 ? -x(r, 1) : x(r, 0); });
  };
  const Dense k = random_matrix(n, 2, 132);
  const Dense plain =
      hadamard(product_transposed(q, k),
               made(n, n, [](int64_t i, int64_t j) { return std::cos(0.4 * static_cast<double>(i - j)); }));
  const Dense turned = product_transposed(rotated(q, {0.4}), rotated(k, {0.4}));
  // Re(w e^{i theta}) = Re w cos - Im w sin: the sine part is what the theorem leaves out.
  const Dense sine =
      hadamard(product_transposed(quarter(q), k),
               made(n, n, [](int64_t i, int64_t j) { return std::sin(0.4 * static_cast<double>(i - j)); }));
  EXPECT_LT(largest_difference(sum(plain, sine), turned), 1e-13);
  const Contraction c = contraction(spectrum(plain), spectrum(product_transposed(q, k)));
  EXPECT_TRUE(c.singular.weak);
  EXPECT_LT(c.spectral_norm, 1.0);
  EXPECT_GT(c.effective_rank, 1.0);
}

TEST(Contraction, OfTheSameLogitsIsOne) {
  const Dense q = random_matrix(30, 4, 133);
  const Dense k = random_matrix(30, 4, 134);
  const Contraction c = contraction({q, k}, {q, k});
  EXPECT_EQ(c.spectral_norm, 1.0);
  EXPECT_EQ(c.nuclear, 1.0);
  EXPECT_EQ(c.symmetric_width, 1.0);
  EXPECT_TRUE(c.singular.full);
}

TEST(Contraction, IsNotDefinedAgainstZero) {
  const Dense q = random_matrix(10, 2, 135);
  const Dense zero(10, 2);
  const Contraction c = contraction({q, q}, {q, zero});
  EXPECT_FALSE(c.defined);
  EXPECT_FALSE(c.singular.weak);
  EXPECT_EQ(error_of([&] { contraction(spectrum(identity(3)), spectrum(identity(4))); }),
            "a contraction compares logits of one size, not 3 and 4");
}

}  // namespace contraction_test
}  // namespace phasor
