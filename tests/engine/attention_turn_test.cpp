// Angles of tokens in attention: what attention_test.cpp does not ask of every tensor.
#include <gtest/gtest.h>

#include "reference/complex_step.h"
#include "support/attention_device.h"
#include "support/attention_expected.h"
#include "support/backend.h"

namespace phasor {
namespace attention_turn_test {

using namespace testing_support;
using reference::Complex;
using reference::Rounded32;

constexpr uint64_t kSeed = 211;

std::vector<AttentionCase> with_turns(std::vector<AttentionCase> cases) {
  std::erase_if(cases, [](const AttentionCase& c) { return !c.token_turns; });
  return cases;
}

class TurnGradient : public testing::TestWithParam<AttentionCase> {};

TEST_P(TurnGradient, IsTheComplexStep) {
  const AttentionData data(GetParam(), Dtype::f32, kSeed);
  const auto saved = reference::attention(data.setup, data.tensors);
  const auto bounds = expected_gradients<Rounded32>(data, saved).angle;
  const Grid<double> truth = reference::complex_step_gradient(
      [&](const Grid<Complex>& angle) {
        auto tensors = data.lifted<Complex>();
        tensors.angle = angle;
        return dot(data.dout, reference::attention(data.setup, tensors).out);
      },
      Grid<double>(bounds.rows, bounds.columns));
  const auto expected = with_values(bounds, truth);
  EXPECT_TRUE(agrees({"AttentionBackward.dangle", GetParam().name, kSeed},
                     run_backward(test_backend(), data, saved).gradients.angle, expected, Dtype::f32));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TurnGradient);  // a backend without such angles has no cases
INSTANTIATE_TEST_SUITE_P(Small, TurnGradient, testing::ValuesIn(with_turns(small_attention_cases())),
                         [](const auto& tested) { return tested.param.name; });

// The factors of a table, token by token, give the same bits as the table.
TEST(AttentionTurn, FactorsOfTokensAreThoseOfATable) {
  if (tested_device() != kDefaultDevice) GTEST_SKIP() << "the cuda backend refuses angles of tokens";
  AttentionCase shape;
  shape.name = "Table";
  shape.lengths = {3, 40, 1};
  shape.shape = {.heads = 2, .key_heads = 1, .key_width = 8, .value_width = 4};
  shape.pairs = 4;
  AttentionData data(shape, Dtype::f32, kSeed);
  const auto saved = reference::attention(data.setup, data.tensors);
  const AttentionOutputs expected = run_forward(test_backend(), data);
  const AttentionGradientOutputs gradients = run_backward(test_backend(), data, saved);
  reference::RotationSetup& r = data.setup.rotation;
  r.token_sets = 1;
  r.token_set = {0, 0};
  for (int64_t t = 0; t < data.tokens(); ++t) {
    const auto first = r.query.begin() + data.setup.positions(t, 0) * r.pairs * 2;
    r.token.insert(r.token.end(), first, first + r.pairs * 2);
  }
  r.query.clear();
  r.key.clear();
  data.before.frequency = {};
  data.shape.token_turns = true;
  const AttentionOutputs got = run_forward(test_backend(), data);
  EXPECT_EQ(got.out.data, expected.out.data);
  EXPECT_EQ(run_backward(test_backend(), data, saved).gradients.key.data, gradients.gradients.key.data);
}

}  // namespace attention_turn_test
}  // namespace phasor
