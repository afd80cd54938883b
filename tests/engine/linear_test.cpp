#include <gtest/gtest.h>

#include "reference/complex_step.h"
#include "support/backend.h"
#include "support/compare.h"
#include "support/linear_case.h"

namespace phasor {
namespace linear_test {

using namespace testing_support;
using reference::Complex;
using reference::lift;

constexpr uint64_t kSeed = 31;

class LinearTest : public testing::TestWithParam<std::tuple<LinearCase, LinearDtypes>> {
 protected:
  const LinearCase& shape() const { return std::get<0>(GetParam()); }
  const LinearDtypes& dtypes() const { return std::get<1>(GetParam()); }
  Where where(const char* family) const { return {family, shape().name, kSeed}; }
};

TEST_P(LinearTest, ForwardIsTheFormula) {
  PHASOR_SKIP_WITHOUT(dtypes().operands);
  const LinearData data(shape(), dtypes(), kSeed);
  const LinearOutputs got = run_forward(test_backend(), data);
  const auto expected = expected_forward(data);
  EXPECT_TRUE(agrees(where("LinearForward.y"), got.y, expected.y, dtypes().results));
  if (shape().activation == Activation::gelu) {
    EXPECT_TRUE(
        agrees(where("LinearForward.preactivation"), got.preactivation, expected.preactivation, dtypes().results));
  }
  EXPECT_EQ(got.spoiled, 0);
}

TEST_P(LinearTest, BackwardIsTheFormula) {
  PHASOR_SKIP_WITHOUT(dtypes().operands);
  const LinearData data(shape(), dtypes(), kSeed);
  const LinearGradientOutputs got = run_backward(test_backend(), data);
  const auto expected = expected_backward(data);
  if (shape().dx) {
    EXPECT_TRUE(agrees(where("LinearBackward.dx"), got.dx, expected.dx, dtypes().results));
  }
  EXPECT_TRUE(agrees(where("LinearBackward.dweight"), got.dweight, expected.dweight, Dtype::f32));
  if (shape().bias) {
    EXPECT_TRUE(agrees(where("LinearBackward.dbias"), got.dbias, expected.dbias, Dtype::f32));
  }
  EXPECT_EQ(got.spoiled, 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, LinearTest,
                         testing::Combine(testing::ValuesIn(kLinearCases), testing::ValuesIn(kLinearDtypes)),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param).name) + "_" + std::get<1>(tested.param).name;
                         });

// relu is not analytic, but a complex step never crosses its kink: the branch is taken by the real part,
// and no preactivation of this data is exactly 0.
class LinearGradient : public testing::TestWithParam<LinearCase> {};

TEST_P(LinearGradient, BackwardIsTheComplexStep) {
  const LinearData data(GetParam(), kLinearDtypes[0], kSeed + 1);
  const LinearGradientOutputs got = run_backward(test_backend(), data);
  const auto bounds = expected_backward(data);
  const auto loss = [&](const Grid<Complex>& x, const Grid<Complex>& weight, const Grid<Complex>& bias) {
    return dot(data.dy, reference::product(x, weight, bias));
  };
  const auto x = lift<Complex>(data.activated_x());
  const auto weight = lift<Complex>(data.weight);
  const auto bias = lift<Complex>(data.bias);
  const auto dx = reference::complex_step_gradient(
      [&](const auto& z) { return loss(reference::activated(GetParam().activation, z), weight, bias); }, data.x);
  const auto dweight = reference::complex_step_gradient([&](const auto& z) { return loss(x, z, bias); }, data.weight);
  const Where where{"LinearBackward", GetParam().name, kSeed + 1};
  EXPECT_TRUE(
      agrees(where, got.dx, with_values(bounds.dx, GetParam().accumulate_dx ? added(data.dx, dx) : dx), Dtype::f32));
  EXPECT_TRUE(agrees(where, got.dweight, with_values(bounds.dweight, added(data.dweight, dweight)), Dtype::f32));
  if (!GetParam().bias) return;
  const auto dbias = reference::complex_step_gradient([&](const auto& z) { return loss(x, weight, z); }, data.bias);
  EXPECT_TRUE(agrees(where, got.dbias, with_values(bounds.dbias, added(data.dbias, dbias)), Dtype::f32));
}

INSTANTIATE_TEST_SUITE_P(Small, LinearGradient, testing::ValuesIn(kSmallLinearCases),
                         [](const auto& tested) { return tested.param.name; });

// Bit for bit: the first rows of a batch, and the same rows alone.
TEST_P(LinearTest, ARowDoesNotDependOnTheOthers) {
  PHASOR_SKIP_WITHOUT(dtypes().operands);
  PHASOR_SKIP_UNLESS_ROWS_ARE_ALIKE();
  const LinearData all(shape(), dtypes(), kSeed);
  LinearData few = all;
  few.shape.rows = (all.shape.rows + 2) / 3;
  const auto cut = [&](Grid<double> grid) {
    grid.rows = few.shape.rows;
    grid.data.resize(static_cast<size_t>(grid.rows * grid.columns));
    return grid;
  };
  for (Grid<double>* grid : {&few.x, &few.dy, &few.dx}) *grid = cut(*grid);
  EXPECT_EQ(run_forward(test_backend(), few).y.data, cut(run_forward(test_backend(), all).y).data);
  if (!shape().dx) return;
  EXPECT_EQ(run_backward(test_backend(), few).dx.data, cut(run_backward(test_backend(), all).dx).data);
}

TEST(Linear, NoRowsInUseTouchesNothing) {
  LinearCase shape = kSmallLinearCases[0];
  shape.rows = 0;
  shape.capacity = 6;
  const LinearData data(shape, kLinearDtypes[0], kSeed);
  EXPECT_EQ(run_forward(test_backend(), data).spoiled, 0);
  const LinearGradientOutputs got = run_backward(test_backend(), data);
  EXPECT_EQ(got.spoiled, 0);
  EXPECT_EQ(got.dweight.data, data.dweight.data);
  EXPECT_EQ(got.dbias.data, data.dbias.data);
}

// Far out, gelu is 0 on the left and the identity on the right, with slopes 0 and 1; nothing overflows.
TEST(Linear, GeluIsFiniteAndRightAtTheEnds) {
  LinearCase shape{"Ends", 16, 16, 1, 1, Activation::gelu};
  LinearData data(shape, kLinearDtypes[0], kSeed);
  data.weight(0, 0) = 1.0;
  data.bias(0, 0) = 0.0;
  const double ends[] = {-1e30, -1e4,  -40.0, -14.0, -6.0, -5.0, -3.0, -1e-20,
                         0.0,   1e-20, 3.0,   5.0,   14.0, 40.0, 1e4,  1e30};
  for (int64_t r = 0; r < 16; ++r) data.x(r, 0) = representable(ends[r], Dtype::f32);
  const LinearOutputs got = run_forward(test_backend(), data);
  EXPECT_TRUE(agrees({"LinearForward.y", "Ends", kSeed}, got.y, expected_forward(data).y, Dtype::f32));
  const LinearGradientOutputs gradient = run_backward(test_backend(), data);
  EXPECT_TRUE(agrees({"LinearBackward.dx", "Ends", kSeed}, gradient.dx, expected_backward(data).dx, Dtype::f32));
}

}  // namespace linear_test
}  // namespace phasor
