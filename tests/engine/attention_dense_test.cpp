#include "support/attention_dense.h"

#include <gtest/gtest.h>

#include "reference/complex_step.h"
#include "support/backend.h"

namespace phasor {
namespace attention_dense_test {

using namespace testing_support;
using reference::Complex;
using reference::lift;
using reference::Rounded32;

constexpr uint64_t kSeed = 91;

// Takes the masked entries out of a comparison, after asking that they are exactly `masked`.
template <class R>
void settle_masked(const AttentionData& data, int64_t n, double masked, Grid<double>& got, Grid<R>& expected) {
  for (int64_t row = 0; row < got.rows; ++row) {
    for (int64_t j = 0; j < n; ++j) {
      if (data.setup.sees(row / n, row % n, j)) continue;
      EXPECT_EQ(got(row, j), masked) << "row " << row << " key " << j;
      got(row, j) = 0.0;
      expected(row, j) = R(0.0);
    }
  }
}

class AttentionDenseTest : public testing::TestWithParam<std::tuple<AttentionCase, Dtype>> {
 protected:
  const AttentionCase& shape() const { return std::get<0>(GetParam()); }
  Dtype dtype() const { return std::get<1>(GetParam()); }
  Where where(const char* family) const { return {family, shape().name, kSeed}; }
};

// The oracle computes in fp32 whatever its operands are stored as.
TEST_P(AttentionDenseTest, EveryMatrixIsTheFormula) {
  PHASOR_SKIP_WITHOUT(dtype());
  const AttentionData data(shape(), dtype(), kSeed);
  const int64_t sequences = std::min<int64_t>(data.batch.sequences(), 5);
  for (int32_t s = 0; s < sequences; ++s) {
    const int64_t n = data.setup.length(s);
    DenseOutputs got = run_dense(test_backend(), data, s);
    auto expected = expected_dense<Rounded32>(data, s);
    settle_masked(data, n, -std::numeric_limits<double>::infinity(), got.logits, expected.logits);
    settle_masked(data, n, 0.0, got.weights, expected.weights);
    settle_masked(data, n, 0.0, got.dlogits, expected.dlogits);
    EXPECT_TRUE(agrees(where("AttentionDense.turned_query"), got.turned_query, expected.turned_query, Dtype::f32));
    EXPECT_TRUE(agrees(where("AttentionDense.turned_key"), got.turned_key, expected.turned_key, Dtype::f32));
    EXPECT_TRUE(agrees(where("AttentionDense.logits"), got.logits, expected.logits, Dtype::f32));
    EXPECT_TRUE(agrees(where("AttentionDense.weights"), got.weights, expected.weights, Dtype::f32));
    EXPECT_TRUE(agrees(where("AttentionDense.out"), got.out, expected.out, Dtype::f32));
    EXPECT_TRUE(agrees(where("AttentionDense.dlogits"), got.dlogits, expected.dlogits, Dtype::f32));
    EXPECT_EQ(got.spoiled, 0);
  }
}

// As many weights as there are keys are each rounded, and their sum is taken in double. A sink has the rest.
TEST_P(AttentionDenseTest, WeightsSumToOne) {
  PHASOR_SKIP_WITHOUT(dtype());
  const AttentionData data(shape(), dtype(), kSeed);
  const int64_t sequences = std::min<int64_t>(data.batch.sequences(), 5);
  for (int32_t s = 0; s < sequences; ++s) {
    const DenseOutputs got = run_dense(test_backend(), data, s);
    const auto expected = expected_dense<double>(data, s);
    for (int64_t row = 0; row < got.weights.rows; ++row) {
      double sum = 0.0;
      for (int64_t j = 0; j < got.weights.columns; ++j) sum += got.weights(row, j);
      // The division rounds each weight, the fp32 sum it divides by strays by 4 sqrt(n) roundings.
      const double bound = (2.0 + 4.0 * std::sqrt(static_cast<double>(got.weights.columns))) * Rounded32::kUnit;
      const double sink = data.tensors.sink.empty() ? 0.0 : expected.sink_weights(row, 0);
      EXPECT_NEAR(sum + sink, 1.0, bound) << shape().name << " sequence " << s << " row " << row;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, AttentionDenseTest,
                         testing::Combine(testing::ValuesIn(attention_cases()),
                                          testing::Values(Dtype::f32, Dtype::bf16)),
                         [](const auto& tested) {
                           return std::get<0>(tested.param).name + "_" + name(std::get<1>(tested.param));
                         });

// Two computations that each may stray by their bound differ by at most twice that.
class AttentionFusedAndDense : public testing::TestWithParam<AttentionCase> {};

TEST_P(AttentionFusedAndDense, FusedForwardAgrees) {
  const AttentionData data(GetParam(), Dtype::f32, kSeed);
  const AttentionOutputs fused = run_forward(test_backend(), data);
  const int64_t width = data.setup.shape.value_width;
  const int64_t sequences = std::min<int64_t>(data.batch.sequences(), 5);
  for (int32_t s = 0; s < sequences; ++s) {
    const int64_t n = data.setup.length(s);
    const DenseOutputs dense = run_dense(test_backend(), data, s);
    auto expected = expected_dense<Rounded32>(data, s).out;
    Grid<double> got(expected.rows, width);
    for (int64_t row = 0; row < expected.rows; ++row) {
      for (int64_t c = 0; c < width; ++c) {
        got(row, c) = fused.out(data.setup.begin(s) + row % n, row / n * width + c);
        expected(row, c) = {dense.out(row, c), 2.0 * expected(row, c).error};
      }
    }
    EXPECT_TRUE(agrees({"AttentionForward against dense", GetParam().name, kSeed}, got, expected, Dtype::f32));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, AttentionFusedAndDense, testing::ValuesIn(attention_cases()),
                         [](const auto& tested) { return tested.param.name; });

// dlogits by complex step: a bias of one's own on every single logit.
class AttentionDenseGradient : public testing::TestWithParam<AttentionCase> {};

TEST_P(AttentionDenseGradient, DlogitsAreTheComplexStep) {
  const AttentionData data(GetParam(), Dtype::f32, kSeed + 1);
  const int32_t s = 1;
  const int64_t n = data.setup.length(s);
  const auto x = data.lifted<Complex>();
  const int64_t width = data.setup.shape.value_width;
  // The loss as a function of the logits of (head, i), with the reference's own softmax and values.
  const auto plain = expected_dense<double>(data, s);
  Grid<double> gradient(plain.logits.rows, n);
  for (int64_t row = 0; row < gradient.rows; ++row) {
    const int64_t h = row / n;
    const int64_t i = row % n;
    for (int64_t k = 0; k < n; ++k) {
      if (!data.setup.sees(h, i, k)) continue;
      Complex total = data.tensors.sink.empty() ? 0.0 : std::exp(data.tensors.sink(0, h));
      std::vector<Complex> weights;
      for (int64_t j = 0; j < n; ++j) {
        weights.push_back(std::exp(Complex(plain.logits(row, j), j == k ? reference::kComplexStep : 0.0)));
        if (!data.setup.sees(h, i, j)) weights.back() = 0.0;
        total += weights.back();
      }
      Complex loss = 0.0;
      for (int64_t j = 0; j < n; ++j) {
        const auto index = static_cast<uint64_t>((int64_t{s} << 40) + (i << 20) + j);
        const double factor = data.setup.dropout.factor<double>(index, static_cast<uint32_t>(h));
        for (int64_t c = 0; c < width; ++c) {
          loss += data.dout(data.setup.begin(s) + i, h * width + c) * factor * weights[static_cast<size_t>(j)] / total *
                  data.tensors.value(data.setup.begin(s) + j, data.setup.key_head(h) * width + c);
        }
      }
      gradient(row, k) = loss.imag() / reference::kComplexStep;
    }
  }
  const auto bounds = expected_dense<Rounded32>(data, s).dlogits;
  const DenseOutputs got = run_dense(test_backend(), data, s);
  EXPECT_TRUE(agrees({"AttentionDense.dlogits", GetParam().name, kSeed + 1}, got.dlogits, with_values(bounds, gradient),
                     Dtype::f32));
}

INSTANTIATE_TEST_SUITE_P(Small, AttentionDenseGradient, testing::ValuesIn(small_attention_cases()),
                         [](const auto& tested) { return tested.param.name; });

TEST(AttentionDense, EveryOutputMayBeAbsent) {
  Backend& backend = test_backend();
  const AttentionData data(small_attention_cases().back(), Dtype::f32, kSeed);
  const DenseOutputs all = run_dense(backend, data, 1);
  const DeviceAttention attention(backend, data);
  const AttentionShape& s = data.setup.shape;
  const int64_t n = data.setup.length(1);
  const DeviceMatrix weights(backend, Dtype::f32, s.heads * n, n);
  AttentionDenseForward op;
  op.sequence = 1;
  op.attention = attention.record();
  backend.run(op);
  op.weights = View<float, 3>(weights.flat().data(), s.heads, n, n);
  backend.run(op);
  EXPECT_EQ(weights.read(s.heads * n).data, all.weights.data);
  const DeviceMatrix out(backend, Dtype::f32, s.heads * n, s.value_width);
  op.weights = {};
  op.out = View<float, 3>(out.flat().data(), s.heads, n, s.value_width);
  backend.run(op);
  EXPECT_EQ(out.read(s.heads * n).data, all.out.data);
}

}  // namespace attention_dense_test
}  // namespace phasor
