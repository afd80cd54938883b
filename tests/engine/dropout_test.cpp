// The dropout mask is a function of (stream, step, index) alone.
#include <gtest/gtest.h>

#include "support/attention_device.h"
#include "support/backend.h"
#include "support/norm_case.h"

namespace phasor {
namespace dropout_test {

using namespace testing_support;

constexpr uint64_t kSeed = 121;

// n coins of probability p fall within 5 deviations, but for one seed in two million.
void expect_share(int64_t events, int64_t trials, double p) {
  const auto n = static_cast<double>(trials);
  EXPECT_NEAR(static_cast<double>(events), p * n, 5.0 * std::sqrt(p * (1 - p) * n));
}

// A zero residual and a branch of ones show the mask: 0 or 1 / (1 - rate). Rows begin anywhere in a block of decisions.
Grid<double> residual_mask(float rate, uint32_t step) {
  NormCase shape{"Mask", 300, 300, 37, NormKind::layer, true, false, rate};
  NormData data(shape, Dtype::f32, kSeed);
  for (double& x : data.residual.data) x = 0.0;
  for (double& x : data.branch.data) x = 1.0;
  data.dropout.step = step;
  return run_forward(test_backend(), data).sum;
}

TEST(Dropout, ResidualMaskHasItsRateAndScale) {
  for (float rate : {0.1f, 0.5f, 0.75f}) {
    const Grid<double> mask = residual_mask(rate, 3);
    const double share = reference::DropoutRule{.rate = rate}.share();
    EXPECT_NEAR(share, double{rate}, 0x1.0p-17);
    int64_t dropped = 0;
    for (double x : mask.data) {
      dropped += x == 0.0;
      if (x == 0.0) continue;
      EXPECT_NEAR(x * (1.0 - share), 1.0, 2 * 0x1.0p-24);
    }
    expect_share(dropped, static_cast<int64_t>(mask.data.size()), share);
  }
}

// Neighbouring elements and successive steps drop independently: both with probability rate^2.
TEST(Dropout, ElementsAndStepsAreIndependent) {
  const Grid<double> now = residual_mask(0.5f, 7);
  const Grid<double> next = residual_mask(0.5f, 8);
  int64_t both_steps = 0, both_neighbours = 0, both_rows = 0;
  for (int64_t r = 0; r + 1 < now.rows; ++r) {
    for (int64_t c = 0; c + 1 < now.columns; ++c) {
      both_steps += now(r, c) == 0.0 && next(r, c) == 0.0;
      both_neighbours += now(r, c) == 0.0 && now(r, c + 1) == 0.0;
      both_rows += now(r, c) == 0.0 && now(r + 1, c) == 0.0;
    }
  }
  const int64_t trials = (now.rows - 1) * (now.columns - 1);
  expect_share(both_steps, trials, 0.25);
  // Pairs that share an element are correlated: the variance is at most three times as large.
  EXPECT_NEAR(static_cast<double>(both_neighbours), 0.25 * static_cast<double>(trials),
              5.0 * std::sqrt(3 * 0.1875 * static_cast<double>(trials)));
  EXPECT_NEAR(static_cast<double>(both_rows), 0.25 * static_cast<double>(trials),
              5.0 * std::sqrt(3 * 0.1875 * static_cast<double>(trials)));
}

TEST(Dropout, BackwardUsesTheMaskOfForward) {
  NormCase shape{"Mask", 40, 44, 33, NormKind::layer, true, false, 0.5f};
  NormData data(shape, Dtype::f32, kSeed);
  for (double& x : data.residual.data) x = 0.0;
  for (double& x : data.branch.data) x = 1.0;
  for (double& x : data.dsum.data) x = 1.0;
  EXPECT_EQ(run_backward(test_backend(), data).dbranch.data, run_forward(test_backend(), data).sum.data);
}

// With equal logits and the identity as values, row i of the output is the mask over n (1 - rate).
TEST(Dropout, AttentionMaskFollowsTheIndexRule) {
  constexpr int32_t kLength = 70;
  AttentionCase shape;
  shape.name = "Mask";
  shape.lengths = {3, kLength, kLength};
  shape.shape = {.heads = 2, .key_heads = 1, .key_width = 4, .value_width = kLength};
  shape.rate = 0.4f;
  AttentionData data(shape, Dtype::f32, kSeed);
  for (double& q : data.tensors.query.data) q = 0.0;
  for (double& v : data.tensors.value.data) v = 0.0;
  for (int64_t s = 1; s < 3; ++s) {
    for (int64_t j = 0; j < kLength; ++j) data.tensors.value(data.setup.begin(s) + j, j) = 1.0;
  }
  const AttentionOutputs got = run_forward(test_backend(), data);
  int64_t dropped = 0, same_heads = 0, same_sequences = 0;
  for (int64_t i = 0; i < kLength; ++i) {
    for (int64_t j = 0; j < kLength; ++j) {
      bool kept[2][2];
      for (int64_t s = 0; s < 2; ++s) {
        for (int64_t h = 0; h < 2; ++h) {
          const auto index = static_cast<uint64_t>(((s + 1) << 40) + (i << 20) + j);
          kept[s][h] = got.out(data.setup.begin(s + 1) + i, h * kLength + j) != 0.0;
          EXPECT_EQ(kept[s][h], data.setup.dropout.keeps(index, static_cast<uint32_t>(h)))
              << "sequence " << s + 1 << " head " << h << " query " << i << " key " << j;
          dropped += !kept[s][h];
        }
      }
      same_heads += kept[0][0] == kept[0][1];
      same_sequences += kept[0][0] == kept[1][0];
    }
  }
  expect_share(dropped, 4 * kLength * kLength, 0.4);
  expect_share(same_heads, kLength * kLength, 0.6 * 0.6 + 0.4 * 0.4);
  expect_share(same_sequences, kLength * kLength, 0.6 * 0.6 + 0.4 * 0.4);
}

}  // namespace dropout_test
}  // namespace phasor
