// Distance rows of attention: what they are known by, beside the formula that attention_test checks.
#include <gtest/gtest.h>

#include "support/attention_device.h"
#include "support/attention_expected.h"
#include "support/backend.h"

namespace phasor {
namespace attention_rows_test {

using namespace testing_support;
using Rows = AttentionCase::Rows;

constexpr uint64_t kSeed = 151;

class AttentionRows : public testing::Test {
 protected:
  void SetUp() override {
    if (tested_device() != kDefaultDevice) GTEST_SKIP() << "refused by this backend";
  }
};

AttentionCase rows_case(bool causal, bool running) {
  AttentionCase c;
  c.name = "Rows";
  c.lengths = {3, 70, 1, 33};
  c.shape = {.heads = 4, .key_heads = 2, .key_width = 12, .value_width = 8};
  c.causal = causal;
  c.query_rows = Rows::all;
  c.key_rows = Rows::buckets;
  if (running) c.running_axis = 0;
  c.pairs = 4;
  c.bias = true;
  c.rate = 0.1f;
  return c;
}

struct Passes {
  AttentionOutputs forward;
  AttentionGradientOutputs backward;
};

Passes run(const AttentionData& data) {
  const auto saved = reference::attention(data.setup, data.tensors);
  return {run_forward(test_backend(), data), run_backward(test_backend(), data, saved)};
}

void expect_same_numbers(const Passes& a, const Passes& b, size_t gradients) {
  EXPECT_EQ(a.forward.out.data, b.forward.out.data);
  EXPECT_EQ(a.forward.log_sum.data, b.forward.log_sum.data);
  for (size_t i = 0; i < gradients; ++i) {
    EXPECT_EQ(listed(a.backward.gradients)[i]->data, listed(b.backward.gradients)[i]->data) << kGradientNames[i];
  }
}

TEST_F(AttentionRows, OfZerosAreNone) {
  for (const bool causal : {false, true}) {
    for (const bool running : {false, true}) {
      AttentionData data(rows_case(causal, running), Dtype::f32, kSeed);
      std::fill(data.tensors.query_rows.data.begin(), data.tensors.query_rows.data.end(), 0.0);
      std::fill(data.tensors.key_rows.data.begin(), data.tensors.key_rows.data.end(), 0.0);
      const Passes zeros = run(data);
      data.tensors.query_rows = data.tensors.key_rows = {};
      data.before.query_rows = data.before.key_rows = {};
      expect_same_numbers(zeros, run(data), kTokenGradients + 2);  // the bias and the frequencies, too
    }
  }
}

// A factor of 2 on every row of logits is one on the scale, which multiplies without rounding: rows have it as the
// products of queries and keys have.
TEST_F(AttentionRows, StandInsideOfTheRowScale) {
  for (const bool causal : {false, true}) {
    AttentionCase shape = rows_case(causal, true);
    shape.shifts = true;
    shape.row_scale = true;
    AttentionData data(shape, Dtype::f32, kSeed);
    std::fill(data.tensors.scale.data.begin(), data.tensors.scale.data.end(), 2.0);
    const Passes by_row = run(data);
    data.tensors.scale = data.before.scale = {};
    data.setup.scale *= 2.0;
    Passes whole = run(data);
    whole.backward.gradients.scale = by_row.backward.gradients.scale;
    expect_same_numbers(by_row, whole, kGradients);
  }
}

// Logits are homogeneous in the factors of their queries, so that the gradients by the factors, weighted with them, add
// up to those by the logits of all products: with no bias, sum_i f_i dL/df_i = sum_ij L_ij dL/dL_ij.
TEST_F(AttentionRows, AreInTheGradientByTheRowScale) {
  AttentionCase shape = rows_case(false, false);
  shape.shifts = shape.row_scale = true;
  shape.bias = false;
  const AttentionData data(shape, Dtype::f32, kSeed);
  const auto saved = reference::attention(data.setup, data.tensors);
  const auto got = run_backward(test_backend(), data, saved).gradients;
  double by_factors = 0.0, by_logits = 0.0, size = 0.0;
  for (size_t i = 0; i < got.scale.data.size(); ++i) {
    by_factors += data.tensors.scale.data[i] * (got.scale.data[i] - data.before.scale.data[i]);
    size += std::abs(data.tensors.scale.data[i]) * (std::abs(got.scale.data[i]) + std::abs(data.before.scale.data[i]));
  }
  for (int64_t s = 0; s < data.setup.sequences(); ++s) {
    for (int64_t h = 0; h < data.setup.shape.heads; ++h) {
      const auto queries = turned_head(data.setup, data.tensors, true, s, h);
      const auto keys = turned_head(data.setup, data.tensors, false, s, h);
      for (int64_t i = 0; i < data.setup.length(s); ++i) {
        const auto row = attention_row(data.setup, data.tensors, queries, keys, s, h, i);
        const auto dlogits =
            logit_gradient_row(data.setup, data.tensors, row, data.dout, {saved.out, saved.log_sum}, s, h, i);
        for (size_t at = 0; at < dlogits.size(); ++at) {
          by_logits += row.logits[at] * dlogits[at];
          size += std::abs(row.logits[at] * dlogits[at]);
        }
      }
    }
  }
  // A hundred roundings of each number in fp32, and none of the terms' sizes is beyond the sum of them all.
  EXPECT_NEAR(by_factors, by_logits, 100 * 0x1.0p-24 * size);
}

// Of a long sequence whose tokens repeat, a query far from both ends sees through its window what the one a period
// before it saw, in whatever piece of the sequence the kernel works: keys outside of it are not read.
TEST_F(AttentionRows, OfAWindowAreThoseOfTheKeysInIt) {
  constexpr int64_t kPeriod = 64, kLength = 1200, kWindow = 20;
  for (const bool causal : {false, true}) {
    AttentionCase shape = rows_case(causal, true);
    shape.lengths = {kLength};
    shape.window = {kWindow, 1, kWindow, 5};
    shape.pairs = 0;
    shape.rate = 0.0f;
    AttentionData data(shape, Dtype::f32, kSeed);
    for (Grid<double>* grid : {&data.tensors.query, &data.tensors.key, &data.tensors.value}) {
      for (int64_t t = kPeriod; t < kLength; ++t) {
        for (int64_t c = 0; c < grid->columns; ++c) (*grid)(t, c) = (*grid)(t - kPeriod, c);
      }
    }
    const AttentionOutputs got = run_forward(test_backend(), data);
    for (int64_t t = 2 * kPeriod; t < kLength - kPeriod; ++t) {
      for (int64_t c = 0; c < got.out.columns; ++c) {
        ASSERT_EQ(got.out(t, c), got.out(t - kPeriod, c)) << "causal " << causal << " token " << t;
      }
    }
  }
}

}  // namespace attention_rows_test
}  // namespace phasor
