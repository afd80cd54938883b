#include <gtest/gtest.h>

#include "reference/complex_step.h"
#include "support/backend.h"
#include "support/compare.h"
#include "support/norm_case.h"

namespace phasor {
namespace residual_norm_test {

using namespace testing_support;
using reference::Complex;
using reference::lift;
using reference::Rounded32;

class ResidualNormTest : public testing::TestWithParam<std::tuple<NormCase, Dtype>> {
 protected:
  const NormCase& shape() const { return std::get<0>(GetParam()); }
  Dtype dtype() const { return std::get<1>(GetParam()); }
  Where where(const char* family) const { return {family, shape().name, kSeed}; }
  static constexpr uint64_t kSeed = 21;
};

TEST_P(ResidualNormTest, ForwardIsTheFormula) {
  PHASOR_SKIP_WITHOUT(dtype());
  const NormData data(shape(), dtype(), kSeed);
  const NormOutputs got = run_forward(test_backend(), data);
  const auto expected = residual_norm(data.input<Rounded32>());
  if (shape().branch) {
    EXPECT_TRUE(agrees(where("ResidualNormForward.sum"), got.sum, expected.sum, Dtype::f32));
  }
  if (shape().norm) {
    EXPECT_TRUE(agrees(where("ResidualNormForward.y"), got.y, expected.y, dtype()));
    EXPECT_TRUE(agrees(where("ResidualNormForward.rstd"), got.rstd, expected.rstd, Dtype::f32));
  }
  if (shape().norm && shape().kind == NormKind::layer) {
    EXPECT_TRUE(agrees(where("ResidualNormForward.mean"), got.mean, expected.mean, Dtype::f32));
  }
  EXPECT_EQ(got.spoiled, 0);
}

TEST_P(ResidualNormTest, BackwardIsTheFormula) {
  PHASOR_SKIP_WITHOUT(dtype());
  const NormData data(shape(), dtype(), kSeed);
  const NormGradientOutputs got = run_backward(test_backend(), data);
  const auto expected = residual_norm_backward(data.backward_input<Rounded32>());
  EXPECT_TRUE(agrees(where("ResidualNormBackward.dsum"), got.dsum, expected.dsum, Dtype::f32));
  if (shape().branch) {
    EXPECT_TRUE(agrees(where("ResidualNormBackward.dbranch"), got.dbranch, expected.dbranch, dtype()));
  }
  if (shape().norm) {
    EXPECT_TRUE(agrees(where("ResidualNormBackward.dweight"), got.dweight, expected.dweight, Dtype::f32));
  }
  if (shape().norm && shape().kind == NormKind::layer) {
    EXPECT_TRUE(agrees(where("ResidualNormBackward.dbias"), got.dbias, expected.dbias, Dtype::f32));
  }
  EXPECT_EQ(got.spoiled, 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, ResidualNormTest,
                         testing::Combine(testing::ValuesIn(kNormCases), testing::Values(Dtype::f32, Dtype::bf16)),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param).name) + "_" + name(std::get<1>(tested.param));
                         });

// The loss reaches the sum both through the norm (dy) and past it (dsum).
class ResidualNormGradient : public testing::TestWithParam<NormCase> {};

TEST_P(ResidualNormGradient, BackwardIsTheComplexStep) {
  const NormData data(GetParam(), Dtype::f32, 22);
  const NormGradientOutputs got = run_backward(test_backend(), data);
  const auto bounds = residual_norm_backward(data.backward_input<Rounded32>());
  const auto loss = [&](const reference::NormInput<Complex>& input) {
    const auto result = residual_norm(input);
    Complex sum = dot(data.dsum, result.sum);
    if (data.shape.norm) sum += dot(data.dy, result.y);
    return sum;
  };
  const auto gradient = [&](Grid<Complex> reference::NormInput<Complex>::*field, const Grid<double>& at) {
    return reference::complex_step_gradient(
        [&](const Grid<Complex>& z) {
          auto input = data.input<Complex>();
          input.*field = z;
          return loss(input);
        },
        at);
  };
  using Input = reference::NormInput<Complex>;
  const Where where{"ResidualNormBackward", GetParam().name, 22};
  EXPECT_TRUE(agrees(where, got.dsum, with_values(bounds.dsum, gradient(&Input::residual, data.residual)), Dtype::f32));
  if (data.shape.branch) {
    EXPECT_TRUE(
        agrees(where, got.dbranch, with_values(bounds.dbranch, gradient(&Input::branch, data.branch)), Dtype::f32));
  }
  if (!data.shape.norm) return;
  const auto dweight = reference::added(data.dweight, gradient(&Input::weight, data.weight));
  EXPECT_TRUE(agrees(where, got.dweight, with_values(bounds.dweight, dweight), Dtype::f32));
  if (data.shape.kind != NormKind::layer) return;
  const auto dbias = reference::added(data.dbias, gradient(&Input::bias, data.bias));
  EXPECT_TRUE(agrees(where, got.dbias, with_values(bounds.dbias, dbias), Dtype::f32));
}

INSTANTIATE_TEST_SUITE_P(Small, ResidualNormGradient, testing::ValuesIn(kSmallNormCases),
                         [](const auto& tested) { return tested.param.name; });

// Equal rows have equal bits wherever they stand: also where their elements begin differently in blocks of four.
TEST(ResidualNorm, RowsHaveTheSameBitsAnywhere) {
  for (const NormKind kind : {NormKind::layer, NormKind::rms}) {
    for (const int64_t width : {6, 33, 130}) {
      NormData data({"EqualRows", 9, 9, width, kind}, Dtype::f32, 23);
      for (int64_t r = 1; r < 9; ++r) {
        for (int64_t c = 0; c < width; ++c) {
          data.residual(r, c) = data.residual(0, c);
          data.branch(r, c) = data.branch(0, c);
          data.dsum(r, c) = data.dsum(0, c);
          data.dy(r, c) = data.dy(0, c);
        }
      }
      const Grid<double> y = run_forward(test_backend(), data).y;
      const Grid<double> dsum = run_backward(test_backend(), data).dsum;
      for (int64_t r = 1; r < 9; ++r) {
        for (int64_t c = 0; c < width; ++c) {
          ASSERT_EQ(y(r, c), y(0, c)) << "width " << width << ", row " << r << ", column " << c;
          ASSERT_EQ(dsum(r, c), dsum(0, c)) << "width " << width << ", row " << r << ", column " << c;
        }
      }
    }
  }
}

TEST(ResidualNorm, NoRowsInUseTouchesNothing) {
  NormCase shape = kSmallNormCases[0];
  shape.rows = 0;
  shape.capacity = 5;
  const NormData data(shape, Dtype::f32, 23);
  EXPECT_EQ(run_forward(test_backend(), data).spoiled, 0);
  const NormGradientOutputs got = run_backward(test_backend(), data);
  EXPECT_EQ(got.spoiled, 0);
  EXPECT_EQ(got.dweight.data, data.dweight.data);
  EXPECT_EQ(got.dbias.data, data.dbias.data);
}

}  // namespace residual_norm_test
}  // namespace phasor
