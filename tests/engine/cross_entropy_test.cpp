#include <gtest/gtest.h>

#include "reference/complex_step.h"
#include "support/backend.h"
#include "support/compare.h"
#include "support/cross_entropy_case.h"

namespace phasor {
namespace cross_entropy_test {

using namespace testing_support;
using namespace reference;

constexpr uint64_t kSeed = 51;

const std::vector<CrossEntropyCase> kCases = {
    {"TwoClasses", 17, 20, 6, 2},    {"NoBias", 33, 33, 20, 10, false},    {"Classes47", 40, 64, 48, 47},
    {"Classes574", 70, 71, 32, 574}, {"Vocabulary5003", 19, 24, 16, 5003}, {"ManyRows", 600, 601, 12, 24},
    {"OneRow", 1, 8, 20, 7},         {"Sure", 21, 21, 16, 30, true, 40.0},  // logits of +-40: the softmax is nearly a
                                                                            // corner
};

class CrossEntropyTest : public testing::TestWithParam<std::tuple<CrossEntropyCase, Dtype>> {
 protected:
  Dtype dtype() const { return std::get<1>(GetParam()); }
  Where where(const char* family) const { return {family, std::get<0>(GetParam()).name, kSeed}; }

  // Gradients as expected, with the rounding of R.
  template <class R>
  void expect_gradients(const CrossEntropyData& data, const CrossEntropyOutputs& got, Dtype dx_dtype) const {
    const auto dlogits = data.dlogits<R>();
    const auto dx = product(dlogits, transposed(lift<R>(data.weight)));
    EXPECT_TRUE(agrees(where("LinearCrossEntropy.dx"), got.dx, dx, dx_dtype));
    const auto dweight = added(lift<R>(data.dweight), product(transposed(dlogits), transposed(lift<R>(data.x))));
    EXPECT_TRUE(agrees(where("LinearCrossEntropy.dweight"), got.dweight, dweight, Dtype::f32));
    if (!data.shape.bias) return;
    const auto dbias = column_sums(lift<R>(data.dbias), dlogits);
    EXPECT_TRUE(agrees(where("LinearCrossEntropy.dbias"), got.dbias, dbias, Dtype::f32));
  }

  // Rows of weight 0 have a loss too, or the total would not be a number; which one is not said.
  void expect_loss(const CrossEntropyData& data, Grid<double> loss) const {
    const auto expected = data.forward<Rounded32>().loss;
    for (int64_t r = 0; r < loss.rows; ++r) {
      if (data.target_weight(r, 0) != 0.0) continue;
      EXPECT_TRUE(std::isfinite(loss(r, 0))) << "row " << r << " has weight 0 and loss " << loss(r, 0);
      loss(r, 0) = 0.0;
    }
    EXPECT_TRUE(agrees(where("LinearCrossEntropy.loss"), loss, expected, Dtype::f32));
  }

  void expect_predictions(const CrossEntropyData& data, const std::vector<int32_t>& prediction) const {
    const auto logits = data.forward<Rounded32>().logits;
    for (int64_t r = 0; r < data.shape.rows; ++r) {
      const int64_t chosen = prediction[static_cast<size_t>(r)];
      ASSERT_GE(chosen, 0);
      ASSERT_LT(chosen, data.shape.classes);
      const Rounded32& best = logits(r, chosen);
      for (int64_t c = 0; c < data.shape.classes; ++c) {
        EXPECT_LE(logits(r, c).value - best.value, logits(r, c).error + best.error) << "row " << r << " class " << c;
      }
    }
  }
};

TEST_P(CrossEntropyTest, TrainingPassIsTheFormula) {
  PHASOR_SKIP_WITHOUT(dtype());
  const CrossEntropyData data(std::get<0>(GetParam()), dtype(), kSeed);
  const CrossEntropyOutputs got = run(test_backend(), data, true);
  expect_loss(data, got.loss);
  expect_predictions(data, got.prediction);
  if (dtype() == Dtype::f32) {
    expect_gradients<Rounded32>(data, got, Dtype::f32);
  } else {
    expect_gradients<Rounded16>(data, got, Dtype::bf16);
    expect_gradients<Rounded16>(data, run(test_backend(), data, true, Dtype::f32), Dtype::f32);
  }
  EXPECT_EQ(got.spoiled, 0);
}

TEST_P(CrossEntropyTest, EvaluationGivesTheSameLossAndNoGradients) {
  PHASOR_SKIP_WITHOUT(dtype());
  const CrossEntropyData data(std::get<0>(GetParam()), dtype(), kSeed);
  const CrossEntropyOutputs got = run(test_backend(), data, false);
  expect_loss(data, got.loss);
  EXPECT_EQ(got.prediction, run(test_backend(), data, true).prediction);
  EXPECT_EQ(got.spoiled, 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, CrossEntropyTest,
                         testing::Combine(testing::ValuesIn(kCases), testing::Values(Dtype::f32, Dtype::bf16)),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param).name) + "_" + name(std::get<1>(tested.param));
                         });

TEST(CrossEntropy, GradientsAreTheComplexStep) {
  const CrossEntropyData data({"Small", 5, 6, 4, 7}, Dtype::f32, kSeed + 1);
  const CrossEntropyOutputs got = run(test_backend(), data, true);
  const auto total = [&](const Grid<Complex>& x, const Grid<Complex>& weight, const Grid<Complex>& bias) {
    return dot(data.target_weight, cross_entropy(x, weight, bias, data.targets, data.target_weight).loss);
  };
  const auto x = lift<Complex>(data.x);
  const auto weight = lift<Complex>(data.weight);
  const auto bias = lift<Complex>(data.bias);
  using R = Rounded32;
  const auto dlogits = data.dlogits<R>();
  const Where where{"LinearCrossEntropy", "Small", kSeed + 1};
  const auto dx = complex_step_gradient([&](const auto& z) { return total(z, weight, bias); }, data.x);
  EXPECT_TRUE(agrees(where, got.dx, with_values(product(dlogits, transposed(lift<R>(data.weight))), dx), Dtype::f32));
  const auto dweight = complex_step_gradient([&](const auto& z) { return total(x, z, bias); }, data.weight);
  const auto weight_bound = added(lift<R>(data.dweight), product(transposed(dlogits), transposed(lift<R>(data.x))));
  EXPECT_TRUE(agrees(where, got.dweight, with_values(weight_bound, added(data.dweight, dweight)), Dtype::f32));
  const auto dbias = complex_step_gradient([&](const auto& z) { return total(x, weight, z); }, data.bias);
  EXPECT_TRUE(agrees(where, got.dbias, with_values(column_sums(lift<R>(data.dbias), dlogits), added(data.dbias, dbias)),
                     Dtype::f32));
}

// Small integers multiply and add without rounding in either dtype, so equal logits are equal bits.
TEST(CrossEntropy, PredictsTheFirstOfEqualLogits) {
  for (int64_t classes : {4, 70, 1100}) {
    CrossEntropyData data({"Ties", 9, 9, 8, classes, false}, Dtype::f32, kSeed + 2);
    RandomData draws(kSeed + 3);
    const std::vector<int32_t> small = draws.integers(9 * 8, -3, 3);
    data.x.data.assign(small.begin(), small.end());
    const std::vector<int32_t> rows = draws.integers(classes * 8, -1, 1);
    data.weight.data.assign(rows.begin(), rows.end());
    const auto logits = product(data.x, data.weight);
    const CrossEntropyOutputs got = run(test_backend(), data, false);
    for (int64_t r = 0; r < 9; ++r) {
      int32_t first = 0;
      for (int64_t c = 1; c < classes; ++c) {
        if (logits(r, c) > logits(r, first)) first = static_cast<int32_t>(c);
      }
      EXPECT_EQ(got.prediction[static_cast<size_t>(r)], first) << "row " << r << " of " << classes << " classes";
    }
  }
}

TEST(CrossEntropy, NoRowsInUseTouchesNothing) {
  const CrossEntropyData data({"None", 0, 4, 6, 5}, Dtype::f32, kSeed);
  const CrossEntropyOutputs got = run(test_backend(), data, true);
  EXPECT_EQ(got.spoiled, 0);
  EXPECT_EQ(got.dweight.data, data.dweight.data);
  EXPECT_EQ(got.dbias.data, data.dbias.data);
}

}  // namespace cross_entropy_test
}  // namespace phasor
