// Sequences of a few thousand tokens: too long for the whole reference, so some of its rows.
#include <gtest/gtest.h>

#include "support/attention_device.h"
#include "support/attention_expected.h"
#include "support/backend.h"

namespace phasor {
namespace attention_long_test {

using namespace testing_support;
using reference::lift;
using reference::Rounded32;

constexpr uint64_t kSeed = 111;
constexpr int32_t kLength = 2500;

struct LongMask {
  const char* name;
  bool causal;
  int64_t window = 0;
};

void PrintTo(const LongMask& mask, std::ostream* out) { *out << mask.name; }

class LongAttention : public testing::TestWithParam<LongMask> {
 protected:
  static AttentionCase long_case(const LongMask& mask) {
    AttentionCase c;
    c.name = std::string("Long") + mask.name;
    c.lengths = {3, kLength, 2};
    c.shape = {.heads = 1, .key_heads = 1, .key_width = 16, .value_width = 8};
    c.causal = mask.causal;
    if (mask.window > 0) {
      c.window = {mask.window};
      c.sink = true;
    }
    c.pairs = 8;
    c.bias = true;
    c.rate = 0.1f;
    return c;
  }
};

TEST_P(LongAttention, RowsAreTheFormula) {
  const AttentionData data(long_case(GetParam()), Dtype::f32, kSeed);
  const AttentionOutputs got = run_forward(test_backend(), data);
  const auto x = data.lifted<Rounded32>();
  const auto queries = turned_head(data.setup, x, true, 1, 0);
  const auto keys = turned_head(data.setup, x, false, 1, 0);
  const std::vector<int64_t> rows = {0, 1, 63, 64, 1023, 1300, 2047, 2048, kLength - 1};
  Grid<double> out(static_cast<int64_t>(rows.size()), 8), log_sum(out.rows, 1);
  Grid<Rounded32> expected_out(out.rows, 8), expected_log_sum(out.rows, 1);
  for (int64_t r = 0; r < out.rows; ++r) {
    const int64_t i = rows[static_cast<size_t>(r)];
    const auto row = attention_row(data.setup, x, queries, keys, 1, 0, i);
    for (int64_t c = 0; c < 8; ++c) {
      out(r, c) = got.out(data.setup.begin(1) + i, c);
      expected_out(r, c) = row.out[static_cast<size_t>(c)];
    }
    log_sum(r, 0) = got.log_sum(data.setup.begin(1) + i, 0);
    expected_log_sum(r, 0) = row.log_sum;
  }
  EXPECT_TRUE(agrees({"AttentionForward.out", data.shape.name, kSeed}, out, expected_out, Dtype::f32));
  EXPECT_TRUE(agrees({"AttentionForward.log_sum", data.shape.name, kSeed}, log_sum, expected_log_sum, Dtype::f32));
}

// All gradients of a long sequence; one head keeps the double reference to a few seconds.
TEST_P(LongAttention, GradientsAreTheFormula) {
  const AttentionData data(long_case(GetParam()), Dtype::f32, kSeed);
  const auto saved = reference::attention(data.setup, data.tensors);
  expect_gradients(data, run_backward(test_backend(), data, saved).gradients,
                   expected_gradients<Rounded32>(data, saved));
}

std::vector<LongMask> long_masks() {
  std::vector<LongMask> masks = {{"Bidirectional", false}, {"Causal", true}};
  if (tested_device() == kDefaultDevice) {
    masks.insert(masks.end(), {{"Window", false, 100}, {"CausalWindow", true, 600}});
  }
  return masks;
}

INSTANTIATE_TEST_SUITE_P(Masks, LongAttention, testing::ValuesIn(long_masks()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace attention_long_test
}  // namespace phasor
