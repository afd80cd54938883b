#include <gtest/gtest.h>

#include <limits>

#include "reference/complex_step.h"
#include "support/backend.h"
#include "support/compare.h"
#include "support/squared_error_case.h"
#include "support/threads.h"

namespace phasor {
namespace squared_error_test {

using namespace testing_support;
using namespace reference;

constexpr uint64_t kSeed = 61;

const std::vector<SquaredErrorCase> kCases = {
    {"Plain", 17, 20, 6},
    {"NoBias", 33, 33, 20, false},
    {"Gaps", 40, 64, 48, true, {11.5, 6.5}},
    {"FarFromZero", 70, 71, 64, true, {-1000.0, 0.75}},
    {"ManyRows", 600, 601, 33, true, {34.5, 20.25}},
    {"OneRow", 1, 8, 17, true, {3.0, 2.0}},
    {"WidthOne", 21, 21, 1},
};

// What the engine adds to, with the rounding of R.
template <class R>
Grid<R> expected_dweight(const SquaredErrorData& data) {
  return added(lift<R>(data.dweight), product(transposed(data.dy<R>()), transposed(lift<R>(data.x))));
}

class SquaredErrorTest : public testing::TestWithParam<std::tuple<SquaredErrorCase, Dtype>> {
 protected:
  Dtype dtype() const { return std::get<1>(GetParam()); }
  SquaredErrorData data() const { return {std::get<0>(GetParam()), dtype(), kSeed}; }
  Where where(const char* family) const { return {family, std::get<0>(GetParam()).name, kSeed}; }

  template <class R>
  void expect_gradients(const SquaredErrorOutputs& got, Dtype dx_dtype) const {
    const auto dx = product(data().dy<R>(), transposed(lift<R>(data().weight)));
    EXPECT_TRUE(agrees(where("LinearSquaredError.dx"), got.dx, dx, dx_dtype));
    EXPECT_TRUE(agrees(where("LinearSquaredError.dweight"), got.dweight, expected_dweight<R>(data()), Dtype::f32));
    if (!data().shape.bias) return;
    const auto dbias = column_sums(lift<R>(data().dbias), data().dy<R>());
    EXPECT_TRUE(agrees(where("LinearSquaredError.dbias"), got.dbias, dbias, Dtype::f32));
  }

  // A loss of exactly 0 where the row's weight is 0, and whole numbers within one half of the value.
  void expect_values(const SquaredErrorOutputs& got) const {
    const auto expected = data().forward<Rounded32>();
    EXPECT_TRUE(agrees(where("LinearSquaredError.loss"), got.loss, expected.loss, Dtype::f32));
    for (int64_t r = 0; r < data().shape.rows; ++r) {
      const Rounded32& value = expected.value(r, 0);
      EXPECT_LE(std::abs(got.prediction[static_cast<size_t>(r)] - value.value), 0.5 + value.error) << "row " << r;
    }
  }
};

TEST_P(SquaredErrorTest, TrainingPassIsTheFormula) {
  PHASOR_SKIP_WITHOUT(dtype());
  const SquaredErrorOutputs got = run(test_backend(), data(), true);
  expect_values(got);
  if (dtype() == Dtype::f32) {
    expect_gradients<Rounded32>(got, Dtype::f32);
  } else {
    expect_gradients<Rounded16>(got, Dtype::bf16);
    expect_gradients<Rounded16>(run(test_backend(), data(), true, Dtype::f32), Dtype::f32);
  }
  EXPECT_EQ(got.spoiled, 0);
}

TEST_P(SquaredErrorTest, EvaluationGivesTheSameLossAndNoGradients) {
  PHASOR_SKIP_WITHOUT(dtype());
  const SquaredErrorOutputs got = run(test_backend(), data(), false), trained = run(test_backend(), data(), true);
  EXPECT_EQ(got.loss.data, trained.loss.data);
  EXPECT_EQ(got.prediction, trained.prediction);
  EXPECT_EQ(got.dweight.data, data().dweight.data);
  EXPECT_EQ(got.dbias.data, data().dbias.data);
  EXPECT_EQ(got.spoiled, 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, SquaredErrorTest,
                         testing::Combine(testing::ValuesIn(kCases), testing::Values(Dtype::f32, Dtype::bf16)),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param).name) + "_" + name(std::get<1>(tested.param));
                         });

TEST(SquaredError, GradientsAreTheComplexStep) {
  const SquaredErrorData data({"Small", 7, 9, 5, true, {11.5, 6.5}}, Dtype::f32, kSeed + 1);
  const SquaredErrorOutputs got = run(test_backend(), data, true);
  const auto total = [&](const Grid<Complex>& x, const Grid<Complex>& weight, const Grid<Complex>& bias) {
    return dot(data.target_weight,
               squared_error(x, weight, bias, data.targets, data.target_weight, data.shape.scale).loss);
  };
  const auto x = lift<Complex>(data.x);
  const auto weight = lift<Complex>(data.weight);
  const auto bias = lift<Complex>(data.bias);
  using R = Rounded32;
  const Where where{"LinearSquaredError", "Small", kSeed + 1};
  const auto dx = complex_step_gradient([&](const auto& z) { return total(z, weight, bias); }, data.x);
  const auto dx_bound = product(data.dy<R>(), transposed(lift<R>(data.weight)));
  EXPECT_TRUE(agrees(where, got.dx, with_values(dx_bound, dx), Dtype::f32));
  const auto dweight = complex_step_gradient([&](const auto& z) { return total(x, z, bias); }, data.weight);
  EXPECT_TRUE(
      agrees(where, got.dweight, with_values(expected_dweight<R>(data), added(data.dweight, dweight)), Dtype::f32));
  const auto dbias = complex_step_gradient([&](const auto& z) { return total(x, weight, z); }, data.bias);
  const auto dbias_bound = column_sums(lift<R>(data.dbias), data.dy<R>());
  EXPECT_TRUE(agrees(where, got.dbias, with_values(dbias_bound, added(data.dbias, dbias)), Dtype::f32));
}

// 1e-5 of a gradient too much must not pass under the bounds above. (With many rows of either sign the weight's
// gradient is small beside what it is summed from.)
TEST(SquaredError, TheBoundsSeeOnePartIn100000) {
  const auto expect_seen = [](const Grid<double>& got, const Grid<double>& before, const Grid<Rounded32>& expected) {
    EXPECT_LE(compare(got, expected, Dtype::f32).worst_ratio, 1.0);
    Grid<double> wrong = got;
    for (size_t i = 0; i < wrong.data.size(); ++i) {
      wrong.data[i] = representable(got.data[i] + 1e-5 * (got.data[i] - before.data[i]), Dtype::f32);
    }
    EXPECT_GT(compare(wrong, expected, Dtype::f32).worst_ratio, 1.0) << "the bound is too loose";
  };
  for (const SquaredErrorCase& shape : {kCases[0], kCases[2]}) {
    SCOPED_TRACE(shape.name);
    const SquaredErrorData data(shape, Dtype::f32, kSeed);
    const SquaredErrorOutputs got = run(test_backend(), data, true);
    const auto dy = data.dy<Rounded32>();
    expect_seen(got.loss, Grid<double>(shape.rows, 1), data.forward<Rounded32>().loss);
    expect_seen(got.dx, Grid<double>(shape.rows, shape.width), product(dy, transposed(lift<Rounded32>(data.weight))));
    expect_seen(got.dweight, data.dweight, expected_dweight<Rounded32>(data));
    expect_seen(got.dbias, data.dbias, column_sums(lift<Rounded32>(data.dbias), dy));
  }
}

// x is the value itself: one channel of weight 1.
std::vector<int32_t> predictions_of(const std::vector<double>& values, const Scale& scale = {}) {
  const auto rows = static_cast<int64_t>(values.size());
  SquaredErrorData data({"Given", rows, rows, 1, false, scale}, Dtype::f32, kSeed);
  data.x.data = values;
  data.weight.data = {1.0};
  return run(test_backend(), data, false).prediction;
}

TEST(SquaredError, PredictsTheNearestWholeNumber) {
  EXPECT_EQ(predictions_of({0.0, 0.25, 0.75, -0.25, -0.75, 6.0, -7.0}), (std::vector<int32_t>{0, 0, 1, 0, -1, 6, -7}));
  EXPECT_EQ(predictions_of({0.5, 1.5, -0.5, -1.5, 8388607.5}), (std::vector<int32_t>{1, 2, 0, -1, 8388608}))
      << "of two as near the larger";
  const double below_half = std::nextafter(0.5f, 0.0f);
  EXPECT_EQ(predictions_of({below_half, -below_half}), (std::vector<int32_t>{0, 0}));
  EXPECT_EQ(predictions_of({-1.0, 0.0, 1.0, 0.25}, {11.5, 6.0}), (std::vector<int32_t>{6, 12, 18, 13}));
}

TEST(SquaredError, PredictionsStayWithinInt32) {
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min(), kMost = std::numeric_limits<int32_t>::max();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(predictions_of({1e30, -1e30, kInfinity, -kInfinity, 2147483648.0, -2147483648.0, 2147483520.0}),
            (std::vector<int32_t>{kMost, kLeast, kMost, kLeast, kMost, kLeast, 2147483520}));
  EXPECT_EQ(predictions_of({std::numeric_limits<double>::quiet_NaN()}), std::vector<int32_t>{kLeast});
}

TEST(SquaredError, RowsOfWeightZeroGiveNothing) {
  SquaredErrorData data({"Weightless", 5, 6, 20}, Dtype::f32, kSeed);
  std::fill(data.target_weight.data.begin(), data.target_weight.data.end(), 0.0);
  const SquaredErrorOutputs got = run(test_backend(), data, true);
  EXPECT_EQ(got.loss.data, std::vector<double>(5, 0.0));
  EXPECT_EQ(got.dx.data, std::vector<double>(100, 0.0));
  EXPECT_EQ(got.dweight.data, data.dweight.data);
  EXPECT_EQ(got.dbias.data, data.dbias.data);
}

TEST(SquaredError, NoRowsInUseTouchesNothing) {
  const SquaredErrorData data({"None", 0, 4, 6}, Dtype::f32, kSeed);
  const SquaredErrorOutputs got = run(test_backend(), data, true);
  EXPECT_EQ(got.spoiled, 0);
  EXPECT_EQ(got.dweight.data, data.dweight.data);
  EXPECT_EQ(got.dbias.data, data.dbias.data);
}

TEST(SquaredErrorThreads, SameBits) {
  for (const SquaredErrorCase& shape : {SquaredErrorCase{"R3000", 3000, 3001, 64}, {"R129", 129, 129, 256}}) {
    for (Dtype dtype : {Dtype::f32, Dtype::bf16}) {
      if (!test_backend().supports(dtype)) continue;
      const SquaredErrorData data(shape, dtype, kSeed);
      expect_same_bits_on_any_threads([&](Backend& backend) { return run(backend, data, true).images; });
    }
  }
}

}  // namespace squared_error_test
}  // namespace phasor
