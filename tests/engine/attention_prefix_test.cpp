// Sums of gates in attention: what attention_test.cpp does not ask of every tensor.
#include <gtest/gtest.h>

#include "reference/complex_step.h"
#include "support/attention_device.h"
#include "support/attention_expected.h"
#include "support/backend.h"

namespace phasor {
namespace attention_prefix_test {

using namespace testing_support;
using reference::Complex;
using reference::Rounded32;

constexpr uint64_t kSeed = 181;

std::vector<AttentionCase> with_prefix(std::vector<AttentionCase> cases) {
  std::erase_if(cases, [](const AttentionCase& c) { return !c.prefix; });
  return cases;
}

class PrefixGradient : public testing::TestWithParam<AttentionCase> {};

TEST_P(PrefixGradient, IsTheComplexStep) {
  const AttentionData data(GetParam(), Dtype::f32, kSeed);
  const auto saved = reference::attention(data.setup, data.tensors);
  const Grid<double> truth = reference::complex_step_gradient(
      [&](const Grid<Complex>& prefix) {
        auto tensors = data.lifted<Complex>();
        tensors.prefix = prefix;
        return dot(data.dout, reference::attention(data.setup, tensors).out);
      },
      data.tensors.prefix);
  auto expected = expected_gradients<Rounded32>(data, saved);
  const auto bounds = with_values(expected.prefix, truth);
  EXPECT_TRUE(agrees({"AttentionBackward.dprefix", GetParam().name, kSeed},
                     run_backward(test_backend(), data, saved).gradients.prefix, bounds, Dtype::f32));
}

// The dprefix of one key's logits, wrong by 1e-5 of itself.
TEST_P(PrefixGradient, OneTermIsSeen) {
  const AttentionData data(GetParam(), Dtype::f32, kSeed);
  const auto saved = reference::attention(data.setup, data.tensors);
  const auto got = run_backward(test_backend(), data, saved).gradients.prefix;
  const auto expected = expected_gradients<Rounded32>(data, saved).prefix;
  Grid<double> wrong = got;
  for (double& value : wrong.data) value += 2e-5 * value;
  EXPECT_LE(compare(got, expected, Dtype::f32).worst_ratio, 1.0);
  EXPECT_GT(compare(wrong, expected, Dtype::f32).worst_ratio, 1.0) << "the bound is too loose";
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PrefixGradient);  // a backend without gates has no cases
INSTANTIATE_TEST_SUITE_P(Small, PrefixGradient, testing::ValuesIn(with_prefix(small_attention_cases())),
                         [](const auto& tested) { return tested.param.name; });

// The same bits as a bias of -|d|, wherever the sums begin: gates of -1 have exact differences.
void expect_slope(std::vector<int32_t> lengths, bool causal, double start) {
  AttentionCase shape;
  shape.name = "Slope";
  shape.lengths = std::move(lengths);
  shape.shape = {.heads = 2, .key_heads = 2, .key_width = 4, .value_width = 4};
  shape.causal = causal;
  shape.shuffled = false;
  shape.bias = true;
  AttentionData data(shape, Dtype::f32, kSeed);
  for (int64_t h = 0; h < 2; ++h) {
    for (int64_t d = -data.setup.bias.reach; d <= data.setup.bias.reach; ++d) {
      data.tensors.bias(h, data.setup.bias.reach + d) = -std::abs(static_cast<double>(d));
    }
  }
  const AttentionOutputs expected = run_forward(test_backend(), data);
  data.tensors.bias = {};
  data.tensors.prefix = Grid<double>(data.tokens(), 2);
  for (int64_t s = 0; s < data.batch.sequences(); ++s) {
    for (int64_t i = 0; i < data.setup.length(s); ++i) {
      for (int64_t h = 0; h < 2; ++h) data.tensors.prefix(data.setup.begin(s) + i, h) = start - static_cast<double>(i);
    }
  }
  const AttentionOutputs got = run_forward(test_backend(), data);
  EXPECT_EQ(got.out.data, expected.out.data);
  EXPECT_EQ(got.log_sum.data, expected.log_sum.data);
}

TEST(AttentionPrefix, GatesOfMinusOneAreABiasOfThatSlope) {
  if (tested_device() != kDefaultDevice) GTEST_SKIP() << "the cuda backend refuses gates";
  for (const bool causal : {false, true}) {
    for (const double start : {0.0, -1e4, -1e12}) expect_slope({1, 17, 300, 3}, causal, start);
  }
}

TEST(AttentionPrefix, LongSequencesLoseNothing) {
  if (tested_device() != kDefaultDevice) GTEST_SKIP() << "the cuda backend refuses gates";
  expect_slope({20'000}, true, -1.0);
}

// Gates of 1 take nothing.
TEST(AttentionPrefix, EqualSumsAreNone) {
  if (tested_device() != kDefaultDevice) GTEST_SKIP() << "the cuda backend refuses gates";
  for (AttentionCase shape : with_prefix(attention_cases())) {
    AttentionData data(shape, Dtype::f32, kSeed);
    for (double& sum : data.tensors.prefix.data) sum = -1e6;
    const AttentionOutputs with = run_forward(test_backend(), data);
    data.tensors.prefix = {};
    const AttentionOutputs without = run_forward(test_backend(), data);
    EXPECT_EQ(with.out.data, without.out.data) << shape.name;
    EXPECT_EQ(with.log_sum.data, without.log_sum.data) << shape.name;
  }
}

}  // namespace attention_prefix_test
}  // namespace phasor
