#include <gtest/gtest.h>

#include "reference/complex_step.h"
#include "support/attention_device.h"
#include "support/attention_expected.h"
#include "support/backend.h"

namespace phasor {
namespace attention_test {

using namespace testing_support;
using reference::Complex;
using reference::lift;
using reference::Rounded16;
using reference::Rounded32;

constexpr uint64_t kSeed = 81;

class AttentionTest : public testing::TestWithParam<std::tuple<AttentionCase, Dtype>> {
 protected:
  const AttentionCase& shape() const { return std::get<0>(GetParam()); }
  Dtype dtype() const { return std::get<1>(GetParam()); }

  template <class R>
  void expect_forward(const AttentionData& data, const AttentionOutputs& got) const {
    const auto expected = reference::attention(data.setup, data.lifted<R>());
    EXPECT_TRUE(agrees({"AttentionForward.out", shape().name, kSeed}, got.out, expected.out, dtype()));
    EXPECT_TRUE(agrees({"AttentionForward.log_sum", shape().name, kSeed}, got.log_sum, expected.log_sum, Dtype::f32));
  }
};

TEST_P(AttentionTest, ForwardIsTheFormula) {
  PHASOR_SKIP_WITHOUT(dtype());
  const AttentionData data(shape(), dtype(), kSeed);
  const AttentionOutputs got = run_forward(test_backend(), data);
  if (dtype() == Dtype::f32) {
    expect_forward<Rounded32>(data, got);
  } else {
    expect_forward<Rounded16>(data, got);
  }
  EXPECT_EQ(got.spoiled, 0);
}

TEST_P(AttentionTest, BackwardIsTheFormula) {
  PHASOR_SKIP_WITHOUT(dtype());
  const AttentionData data(shape(), dtype(), kSeed);
  const auto saved = reference::attention(data.setup, data.tensors);
  const AttentionGradientOutputs got = run_backward(test_backend(), data, saved);
  if (dtype() == Dtype::f32) {
    expect_gradients(data, got.gradients, expected_gradients<Rounded32>(data, saved));
  } else {
    expect_gradients(data, got.gradients, expected_gradients<Rounded16>(data, saved));
  }
  EXPECT_EQ(got.spoiled, 0);
}

TEST_P(AttentionTest, BackwardWithFixedFrequenciesIsTheFormula) {
  PHASOR_SKIP_WITHOUT(dtype());
  const AttentionData data(shape(), dtype(), kSeed + 3);
  if (data.before.frequency.empty()) GTEST_SKIP() << "nothing turns in this case";
  const auto saved = reference::attention(data.setup, data.tensors);
  const AttentionGradientOutputs got = run_backward(test_backend(), data, saved, TableGradientsAsked::bias);
  const auto compare = [&](auto expected) {
    using R = std::decay_t<decltype(expected.frequency.data[0])>;
    expected.frequency = lift<R>(data.before.frequency);
    expected.phase = lift<R>(data.before.phase);
    expected.query_rows = lift<R>(data.before.query_rows);
    expected.key_rows = lift<R>(data.before.key_rows);
    expected.query_shift = lift<R>(data.before.query_shift);
    expected.row_shift = lift<R>(data.before.row_shift);
    expect_gradients(data, got.gradients, expected);
  };
  if (dtype() == Dtype::f32) {
    compare(expected_gradients<Rounded32>(data, saved));
  } else {
    compare(expected_gradients<Rounded16>(data, saved));
  }
  EXPECT_EQ(got.spoiled, 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, AttentionTest,
                         testing::Combine(testing::ValuesIn(attention_cases()),
                                          testing::Values(Dtype::f32, Dtype::bf16)),
                         [](const auto& tested) {
                           return std::get<0>(tested.param).name + "_" + name(std::get<1>(tested.param));
                         });

// Tables are probed in every case: a bias where the case has none, and frequencies wherever something turns.
class AttentionGradient : public testing::TestWithParam<AttentionCase> {
 protected:
  // sum of dout * out as a function of one of the tensors.
  static Grid<double> gradient(const AttentionData& data, size_t tensor, const Grid<double>& at) {
    auto tensors = data.lifted<Complex>();
    return reference::complex_step_gradient(
        [&](const Grid<Complex>& z) {
          *listed(tensors)[tensor] = z;
          return dot(data.dout, reference::attention(data.setup, tensors).out);
        },
        at);
  }
};

TEST_P(AttentionGradient, BackwardIsTheComplexStep) {
  const AttentionData data(GetParam(), Dtype::f32, kSeed + 1);
  const auto saved = reference::attention(data.setup, data.tensors);
  auto expected = expected_gradients<Rounded32>(data, saved);
  for (size_t i = 0; i < kGradients; ++i) {
    Grid<Rounded32>& bounds = *listed(expected)[i];
    const Grid<double>& given = *listed(data.tensors)[i];
    Grid<double> truth = gradient(data, i, given.empty() ? Grid<double>(bounds.rows, bounds.columns) : given);
    if (i >= kTokenGradients) truth = added(*listed(data.before)[i - kTokenGradients], truth);
    bounds = with_values(bounds, truth);
  }
  expect_gradients(data, run_backward(test_backend(), data, saved).gradients, expected);
}

INSTANTIATE_TEST_SUITE_P(Small, AttentionGradient, testing::ValuesIn(small_attention_cases()),
                         [](const auto& tested) { return tested.param.name; });

// On the full cases the reference's own backward formula is held against a complex step along one
// random direction of all tensors at once: both are double, so they agree to a few thousand roundings.
class AttentionReference : public testing::TestWithParam<AttentionCase> {};

TEST_P(AttentionReference, GradientAlongADirectionIsTheComplexStep) {
  AttentionData data(GetParam(), Dtype::f32, kSeed + 2);
  const auto saved = reference::attention(data.setup, data.tensors);
  const auto zeros = [](const Grid<double>& like) { return Grid<double>(like.rows, like.columns); };
  const Grid<double>& bias = data.tensors.bias;
  const Grid<double>& frequency = data.before.frequency;
  const Grid<double>& phase = data.before.phase;
  const auto gradients =
      reference::attention_backward(data.setup, data.tensors, data.dout, {saved.out, saved.log_sum},
                                    {zeros(bias), zeros(frequency), zeros(data.before.scale), zeros(data.before.sink),
                                     zeros(phase), zeros(data.before.query_rows), zeros(data.before.key_rows),
                                     zeros(data.before.query_shift), zeros(data.before.row_shift)});
  auto stepped = data.lifted<Complex>();
  stepped.frequency = Grid<Complex>(frequency.rows, frequency.columns);
  stepped.phase = Grid<Complex>(phase.rows, phase.columns);
  double expected = 0.0;
  double size = 0.0;
  for (size_t i = 0; i < kGradients; ++i) {
    Grid<Complex>& tensor = *listed(stepped)[i];
    const Grid<double> direction = data.data.normal(tensor.rows, tensor.columns);
    for (size_t j = 0; j < direction.data.size(); ++j) {
      tensor.data[j] += Complex(0.0, reference::kComplexStep * direction.data[j]);
      const double term = listed(gradients)[i]->data[j] * direction.data[j];
      expected += term;
      size += std::abs(term);
    }
  }
  const Complex loss = dot(data.dout, reference::attention(data.setup, stepped).out);
  EXPECT_NEAR(loss.imag() / reference::kComplexStep, expected, 4096 * 0x1.0p-53 * size);
}

INSTANTIATE_TEST_SUITE_P(Cases, AttentionReference, testing::ValuesIn(attention_cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace attention_test
}  // namespace phasor
