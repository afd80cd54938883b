#include "phasor/spectrum/lanczos.h"

#include "phasor/spectrum/lapack.h"
#include "spectrum/matrices.h"

namespace phasor {
namespace lanczos_test {

using namespace testing_support;

// u diag(values) v^T with random orthonormal u, v.
Dense with_singular_values(int64_t rows, int64_t columns, const std::vector<double>& values) {
  const auto count = static_cast<int64_t>(values.size());
  Dense left = thin_qr(random_matrix(rows, count, 60)).q;
  const Dense right = thin_qr(random_matrix(columns, count, 61)).q;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t k = 0; k < count; ++k) left(r, k) *= values[static_cast<size_t>(k)];
  }
  return product_transposed(left, right);
}

TEST(Lanczos, FindsTheTopOfAKnownSpectrum) {
  std::vector<double> values;
  for (int i = 0; i < 80; ++i) values.push_back(std::pow(0.9, i));
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{120, 90}, {90, 120}}) {
    const Dense a = with_singular_values(rows, columns, values);
    const LanczosResult result = largest_singular_values(dense_operator(a), {.count = 6});
    EXPECT_TRUE(result.converged);
    EXPECT_LT(result.steps, 80);
    EXPECT_GE(result.products, 2 * result.steps);
    for (size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(result.values[i].value, values[i], 1e-12);
      EXPECT_TRUE(result.values[i].converged);
      EXPECT_LE(result.values[i].residual, 1e-10);
    }
  }
}

// A residual is a promise: some singular value is that close, also when the steps were too few.
TEST(Lanczos, IsHonestWhenItHasNotConverged) {
  const Dense a = random_matrix(100, 100, 62);
  const LanczosResult result = largest_singular_values(dense_operator(a), {.count = 5, .max_steps = 8});
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.steps, 8);
  const std::vector<double> truth = singular_values(a);
  for (const LanczosResult::Value& value : result.values) {
    EXPECT_FALSE(value.converged);
    double nearest = 1e300;
    for (const double sigma : truth) nearest = std::min(nearest, std::abs(sigma - value.value));
    EXPECT_LE(nearest, value.residual);
    EXPECT_LE(value.value, truth[0] * (1 + 1e-14));
  }
}

// One step on diag(1, 1/2) from v = (c, s): alpha = |A v| gives c, and with it |A^T A v / alpha - alpha v|.
TEST(Lanczos, ResidualIsThatOfItsVectors) {
  const Dense a = made(2, 2, [](int64_t r, int64_t c) { return r != c ? 0.0 : r == 0 ? 1.0 : 0.5; });
  const LanczosResult result = largest_singular_values(dense_operator(a), {.count = 1, .max_steps = 1});
  const double square = result.values[0].value * result.values[0].value;
  const double c = (square - 0.25) / 0.75;
  EXPECT_NEAR(result.values[0].residual, std::sqrt((c + (1 - c) / 16) / square - square), 1e-13);
}

TEST(Lanczos, RunsThroughWholeSpacesAndRanks) {
  const Dense a = random_matrix(12, 12, 63);
  const LanczosResult all = largest_singular_values(dense_operator(a), {.count = 50});
  ASSERT_EQ(all.values.size(), 12u);
  EXPECT_TRUE(all.converged);
  const std::vector<double> truth = singular_values(a);
  for (size_t i = 0; i < 12; ++i) EXPECT_NEAR(all.values[i].value, truth[i], 1e-12);

  const Dense low = with_singular_values(40, 40, {3.0, 2.0, 1.0});
  const LanczosResult rank = largest_singular_values(dense_operator(low), {.count = 5});
  EXPECT_TRUE(rank.converged);
  EXPECT_NEAR(rank.values[2].value, 1.0, 1e-12);
  EXPECT_NEAR(rank.values[3].value, 0.0, 1e-12);

  const Dense zero(9, 9);
  const LanczosResult nothing = largest_singular_values(dense_operator(zero), {.count = 2});
  EXPECT_TRUE(nothing.converged);
  EXPECT_EQ(nothing.values[0].value, 0.0);
}

// Equal values show up once their space is exhausted: the identity takes a new direction each step.
TEST(Lanczos, GoesOnAfterAnInvariantSpace) {
  const Dense one = identity(7);
  const LanczosResult result = largest_singular_values(dense_operator(one), {.count = 7});
  ASSERT_EQ(result.values.size(), 7u);
  for (const LanczosResult::Value& value : result.values) EXPECT_NEAR(value.value, 1.0, 1e-14);
}

// Rotary logits plus a bias by distance, never written down.
TEST(Lanczos, WorksOnFactorsPlusBias) {
  const int64_t n = 90;
  const Dense q = rotated(random_matrix(n, 8, 64), frequencies(8));
  const Dense k = rotated(random_matrix(n, 8, 65), frequencies(8));
  ToeplitzKernel bias = zero_kernel(n, false);
  for (int64_t d = -(n - 1); d < n; ++d) bias.at(d) = -0.1 * std::abs(static_cast<double>(d)) + (d > 0 ? 0.5 : 0.0);
  const Dense dense = sum(product_transposed(q, k), toeplitz_matrix(bias));
  const LinearOperator both = sum_operator(factor_operator(q, k), toeplitz_operator(bias));
  const LanczosResult result = largest_singular_values(both, {.count = 3});
  EXPECT_TRUE(result.converged);
  const std::vector<double> truth = singular_values(dense);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(result.values[i].value / truth[i], 1.0, 1e-10);
}

TEST(Lanczos, RefusesWhatIsNoOperator) {
  Dense a(3, 3);
  a(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of([&] { dense_operator(a); }), "an operator: entry (1, 2) is nan; only finite numbers can be taken");
  EXPECT_EQ(error_of([] { largest_singular_values({}); }), "Lanczos: an operator of 0 x 0 has no singular values");
  const Dense one = identity(2);
  EXPECT_EQ(error_of([&] { largest_singular_values(dense_operator(one), {.count = 0}); }),
            "Lanczos: 0 singular values were asked for");
}

}  // namespace lanczos_test
}  // namespace phasor
