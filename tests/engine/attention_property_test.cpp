// What must hold for any attention, whatever the numbers.
#include <gtest/gtest.h>

#include "support/attention_device.h"
#include "support/attention_expected.h"
#include "support/backend.h"

namespace phasor {
namespace attention_property_test {

using namespace testing_support;
using reference::Rounded32;

constexpr uint64_t kSeed = 101;

class AttentionProperty : public testing::TestWithParam<AttentionCase> {};

INSTANTIATE_TEST_SUITE_P(Cases, AttentionProperty, testing::ValuesIn(attention_cases()),
                         [](const auto& tested) { return tested.param.name; });

// The rows of one sequence, cut out of a batch: the same numbers, positions and tables alone.
AttentionData alone(const AttentionData& batch, int64_t s) {
  AttentionData one = batch;
  const int64_t begin = batch.setup.begin(s);
  const int64_t n = batch.setup.length(s);
  const auto cut = [&](auto& grid) {
    const auto first = grid.data.begin() + begin * grid.columns;
    grid.data = std::vector(first, first + n * grid.columns);
    grid.rows = n;
  };
  for (size_t i = 0; i < kTokenGradients; ++i) cut(*listed(one.tensors)[i]);
  cut(one.dout);
  if (!one.tensors.prefix.empty()) cut(one.tensors.prefix);
  if (const int64_t columns = 2 * one.setup.rotation.token_sets * one.setup.rotation.pairs; columns > 0) {
    std::vector<double>& token = one.setup.rotation.token;
    const auto first = token.begin() + begin * columns;
    token = std::vector<double>(first, first + n * columns);
  }
  cut(one.batch.positions);
  one.setup.positions = one.batch.positions;
  one.setup.offsets = one.batch.offsets = {0, static_cast<int32_t>(n)};
  for (std::vector<int32_t>* table :
       {&one.setup.rotation.sequence_table, &one.setup.bias.sequence_table, &one.setup.row_scale.sequence_table}) {
    if (!table->empty()) *table = {(*table)[static_cast<size_t>(s)]};
  }
  return one;
}

// Bit for bit, forward and backward. Without dropout, whose mask depends on the sequence's number.
void expect_sequences_alone(AttentionCase shape, Dtype dtype) {
  shape.rate = 0.0f;
  const AttentionData batch(shape, dtype, kSeed);
  const auto saved = reference::attention(batch.setup, batch.tensors);
  const AttentionOutputs together = run_forward(test_backend(), batch);
  const AttentionGradientOutputs gradients = run_backward(test_backend(), batch, saved);
  for (int64_t s = 0; s < batch.batch.sequences(); ++s) {
    const AttentionData one = alone(batch, s);
    const auto rows_of = [&](const Grid<double>& grid) {
      const auto first = grid.data.begin() + batch.setup.begin(s) * grid.columns;
      return std::vector<double>(first, first + batch.setup.length(s) * grid.columns);
    };
    const AttentionOutputs single = run_forward(test_backend(), one);
    EXPECT_EQ(single.out.data, rows_of(together.out)) << "sequence " << s;
    EXPECT_EQ(single.log_sum.data, rows_of(together.log_sum)) << "sequence " << s;
    const auto single_saved = reference::attention(one.setup, one.tensors);
    const AttentionGradientOutputs single_gradients = run_backward(test_backend(), one, single_saved);
    for (size_t i = 0; i < kTokenGradients; ++i) {
      EXPECT_EQ(listed(single_gradients.gradients)[i]->data, rows_of(*listed(gradients.gradients)[i]))
          << kGradientNames[i] << " of sequence " << s;
    }
    if (batch.shape.token_turns) {
      EXPECT_EQ(single_gradients.gradients.angle.data, rows_of(gradients.gradients.angle)) << "sequence " << s;
    }
    if (!batch.shape.prefix) continue;
    EXPECT_EQ(single_gradients.gradients.prefix.data, rows_of(gradients.gradients.prefix)) << "sequence " << s;
  }
}

TEST_P(AttentionProperty, ABatchIsItsSequencesAlone) { expect_sequences_alone(GetParam(), Dtype::f32); }

TEST_P(AttentionProperty, ABatchOfBfloat16IsItsSequencesAlone) {
  PHASOR_SKIP_WITHOUT(Dtype::bf16);
  expect_sequences_alone(GetParam(), Dtype::bf16);
}

TEST_P(AttentionProperty, CausalOutputsDoNotSeeTheFuture) {
  AttentionCase shape = GetParam();
  shape.causal = true;
  const AttentionData before(shape, Dtype::f32, kSeed);
  const AttentionOutputs expected = run_forward(test_backend(), before);
  const auto s =
      static_cast<int64_t>(std::max_element(shape.lengths.begin(), shape.lengths.end()) - shape.lengths.begin());
  const int64_t changed = before.setup.begin(s) + before.setup.length(s) / 2;
  AttentionData after = before;
  for (size_t i = 0; i < kTokenGradients; ++i) {
    Grid<double>& grid = *listed(after.tensors)[i];
    for (int64_t c = 0; c < grid.columns; ++c) grid(changed, c) += 1.0;
  }
  const AttentionOutputs got = run_forward(test_backend(), after);
  const int64_t end = before.setup.begin(s) + before.setup.length(s);
  for (int64_t t = 0; t < before.tokens(); ++t) {
    if (t >= changed && t < end) continue;
    for (int64_t c = 0; c < got.out.columns; ++c) EXPECT_EQ(got.out(t, c), expected.out(t, c)) << "token " << t;
  }
  EXPECT_NE(got.out(changed, 0), expected.out(changed, 0)) << "the change must be seen where it may be";
}

// Constant values come out unchanged: the weights of a row sum to 1, but for what a sink takes. Each weight and each
// step of the sum is rounded.
TEST_P(AttentionProperty, WeightsSumToOne) {
  AttentionCase shape = GetParam();
  shape.rate = 0.0f;
  shape.sink = false;
  AttentionData data(shape, Dtype::f32, kSeed);
  for (double& v : data.tensors.value.data) v = 1.0;
  const AttentionOutputs got = run_forward(test_backend(), data);
  const auto expected = reference::attention(data.setup, data.lifted<Rounded32>());
  for (const Rounded32& one : expected.out.data) ASSERT_NEAR(one.value, 1.0, 1e-12);
  EXPECT_TRUE(agrees({"AttentionForward.out of ones", shape.name, kSeed}, got.out, expected.out, Dtype::f32));
}

TEST_P(AttentionProperty, GradientsDoNotNeedThoseByTables) {
  Backend& backend = test_backend();
  const AttentionData data(GetParam(), Dtype::f32, kSeed);
  const auto saved = reference::attention(data.setup, data.tensors);
  const AttentionGradientOutputs expected = run_backward(backend, data, saved);
  const AttentionGradientOutputs got = run_backward(backend, data, saved, TableGradientsAsked::none);
  for (size_t i = 0; i < kTokenGradients; ++i) {
    EXPECT_EQ(listed(got.gradients)[i]->data, listed(expected.gradients)[i]->data) << kGradientNames[i];
  }
  for (size_t i = kTokenGradients; i < kGradients; ++i) {
    EXPECT_EQ(listed(got.gradients)[i]->data, listed(data.before)[i - kTokenGradients]->data)
        << "nothing is added to " << kGradientNames[i] << ", which is not asked for";
  }
}

class AttentionFrequencies : public testing::TestWithParam<AttentionCase> {};

INSTANTIATE_TEST_SUITE_P(Cases, AttentionFrequencies, testing::ValuesIn(turning_cases()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(AttentionFrequencies, GradientsFollowFromThoseOfQueriesAndKeys) {
  const AttentionData data(GetParam(), Dtype::f32, kSeed);
  const auto saved = reference::attention(data.setup, data.tensors);
  const auto got = run_backward(test_backend(), data, saved).gradients;
  EXPECT_TRUE(agrees({"AttentionBackward.dfrequency from dquery, dkey", GetParam().name, kSeed}, got.frequency,
                     frequency_gradient_of(data, got), Dtype::f32));
}

TEST(AttentionProperty, AnEmptyBatchTouchesNothing) {
  for (AttentionCase shape : attention_cases()) {
    shape.lengths = {};
    shape.spare = 4;
    const AttentionData data(shape, Dtype::f32, kSeed);
    const auto saved = reference::attention(data.setup, data.tensors);
    EXPECT_EQ(run_forward(test_backend(), data).spoiled, 0) << shape.name;
    const AttentionGradientOutputs got = run_backward(test_backend(), data, saved);
    EXPECT_EQ(got.spoiled, 0) << shape.name;
    for (size_t i = kTokenGradients; i < kGradients; ++i) {
      EXPECT_EQ(listed(got.gradients)[i]->data, listed(data.before)[i - kTokenGradients]->data)
          << kGradientNames[i] << " of " << shape.name;
    }
  }
}

// Logits of +-1000.
AttentionData large_logits() {
  AttentionData data(attention_cases().front(), Dtype::f32, kSeed);
  for (double& q : data.tensors.query.data) q = representable(q * 1000.0, Dtype::f32);
  return data;
}

// exp overflows unless the largest is taken off first.
TEST(AttentionProperty, LargeLogitsDoNotOverflow) {
  const AttentionData data = large_logits();
  const AttentionOutputs got = run_forward(test_backend(), data);
  const auto expected = reference::attention(data.setup, data.lifted<Rounded32>());
  EXPECT_TRUE(agrees({"AttentionForward.out large", data.shape.name, kSeed}, got.out, expected.out, Dtype::f32));
  EXPECT_TRUE(
      agrees({"AttentionForward.log_sum large", data.shape.name, kSeed}, got.log_sum, expected.log_sum, Dtype::f32));
}

// exp(L - log_sum) sums to 1 only up to a rounding of log_sum, 6e-5 here. A row that is nearly one-hot has
// gradients near 0, which show it unless what the softmax takes back is divided by that sum.
TEST(AttentionProperty, LargeLogitsKeepTheirGradients) {
  const AttentionData data = large_logits();
  const auto saved = reference::attention(data.setup, data.tensors);
  expect_gradients(data, run_backward(test_backend(), data, saved).gradients,
                   expected_gradients<Rounded32>(data, saved));
}

}  // namespace attention_property_test
}  // namespace phasor
