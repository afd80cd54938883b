// Windows, chunks and sinks of attention: what they are known by, beside the formula that attention_test checks.
#include <gtest/gtest.h>

#include "phasor/engine/key_mask.h"
#include "support/attention_device.h"
#include "support/attention_expected.h"
#include "support/backend.h"

namespace phasor {
namespace attention_mask_test {

using namespace testing_support;

constexpr uint64_t kSeed = 131;

TEST(KeyMask, SpansAreTheKeysThatEachMaskLetsThrough) {
  constexpr int64_t kLength = 23;
  for (const bool causal : {false, true}) {
    for (const int64_t window : {0, 1, 2, 5, 22, 23, 1000}) {
      for (const int64_t chunk : {0, 1, 4, 23, 64}) {
        const KeyMask mask{causal, window, chunk};
        KeySpan last;
        for (int64_t i = 0; i < kLength; ++i) {
          const KeySpan span = mask.seen_by(i, kLength);
          for (int64_t j = 0; j < kLength; ++j) {
            const bool seen = (!causal || j <= i) && (window == 0 || std::abs(i - j) < window) &&
                              (chunk == 0 || i / chunk == j / chunk);
            ASSERT_EQ(span.first <= j && j < span.end, seen)
                << "causal " << causal << " window " << window << " chunk " << chunk << " query " << i << " key " << j;
          }
          ASSERT_GE(span.first, last.first);
          ASSERT_GE(span.end, last.end);
          last = span;
        }
      }
    }
  }
}

class AttentionMask : public testing::Test {
 protected:
  void SetUp() override {
    if (tested_device() != kDefaultDevice) GTEST_SKIP() << "refused by this backend";
  }
};

AttentionCase plain_case(bool causal) {
  AttentionCase c;
  c.name = causal ? "Causal" : "Bidirectional";
  c.lengths = {3, 150, 64};
  c.shape = {.heads = 2, .key_heads = 2, .key_width = 16, .value_width = 8};
  c.causal = causal;
  c.bias = true;
  c.pairs = 8;
  c.rate = 0.1f;
  return c;
}

// All bits of both passes. The gradient by a bias is kept from masks of its own, as every other output is.
void expect_same_bits(const AttentionCase& a, const AttentionCase& b) {
  const AttentionData one(a, Dtype::f32, kSeed);
  AttentionData other(b, Dtype::f32, kSeed);
  const auto saved = reference::attention(one.setup, one.tensors);
  EXPECT_EQ(run_forward(test_backend(), one).images, run_forward(test_backend(), other).images);
  EXPECT_EQ(run_backward(test_backend(), one, saved).images, run_backward(test_backend(), other, saved).images);
}

TEST_F(AttentionMask, AWindowAndAChunkOfAllTokensAreNone) {
  for (const bool causal : {false, true}) {
    AttentionCase masked = plain_case(causal);
    masked.window = {150, 2000};
    masked.chunk = {150, 4000};
    expect_same_bits(plain_case(causal), masked);
    masked.window = masked.chunk = {0, 0};
    expect_same_bits(plain_case(causal), masked);
  }
}

TEST_F(AttentionMask, AWindowOfOneSeesItselfAlone) {
  AttentionCase alone = plain_case(false);
  alone.rate = 0.0f;
  alone.window = {1, 1};
  AttentionCase chunked = alone;
  chunked.window = {};
  chunked.chunk = {1, 1};
  for (const AttentionCase& c : {alone, chunked}) {
    const AttentionData data(c, Dtype::f32, kSeed);
    EXPECT_EQ(run_forward(test_backend(), data).out.data, data.tensors.value.data);
  }
}

TEST_F(AttentionMask, AChunkedSequenceIsItsChunksAlone) {
  AttentionCase whole = plain_case(true);
  whole.lengths = {96, 40};
  whole.chunk = {32, 32};
  whole.rate = 0.0f;
  whole.running_axis = 0;
  AttentionCase pieces = whole;
  pieces.lengths = {32, 32, 32, 32, 8};
  pieces.chunk = {};
  const AttentionData one(whole, Dtype::f32, kSeed);
  AttentionData cut(pieces, Dtype::f32, kSeed);
  cut.tensors = one.tensors;
  cut.setup.positions = cut.batch.positions = one.batch.positions;
  cut.setup.bias = one.setup.bias;
  cut.setup.rotation = one.setup.rotation;
  EXPECT_EQ(run_forward(test_backend(), one).images, run_forward(test_backend(), cut).images);
}

// What is not seen is not read either: poison far from a query does not reach it. Blocks are 32 queries, whose keys
// begin at a multiple of 16. Gradients by keys and values come from the queries around them, and so from twice as far.
TEST_F(AttentionMask, TokensFarOutsideAWindowAreNotRead) {
  constexpr int64_t kWindow = 20, kSlack = 32 + 16;
  for (const bool causal : {false, true}) {
    AttentionCase c = plain_case(causal);
    c.lengths = {600};
    c.window = {kWindow, kWindow};
    c.rate = 0.0f;
    AttentionData data(c, Dtype::f32, kSeed);
    const auto saved = reference::attention(data.setup, data.tensors);
    const AttentionOutputs clean = run_forward(test_backend(), data);
    const AttentionGradientOutputs clean_gradients = run_backward(test_backend(), data, saved);
    constexpr int64_t kPoisoned = 300;
    for (Grid<double>* grid : {&data.tensors.key, &data.tensors.value}) {
      for (int64_t column = 0; column < grid->columns; ++column) (*grid)(kPoisoned, column) = std::nan("");
    }
    const AttentionOutputs got = run_forward(test_backend(), data);
    const AttentionGradientOutputs gradients = run_backward(test_backend(), data, saved);
    EXPECT_TRUE(std::isnan(got.out(kPoisoned, 0)));
    for (int64_t t = 0; t < 600; ++t) {
      if (std::abs(t - kPoisoned) < kWindow + kSlack) continue;
      for (int64_t column = 0; column < got.out.columns; ++column) {
        ASSERT_EQ(got.out(t, column), clean.out(t, column)) << "token " << t;
        ASSERT_EQ(gradients.gradients.query(t, column), clean_gradients.gradients.query(t, column)) << "token " << t;
        if (std::abs(t - kPoisoned) < 2 * (kWindow + kSlack)) continue;
        ASSERT_EQ(gradients.gradients.value(t, column), clean_gradients.gradients.value(t, column)) << "token " << t;
        ASSERT_EQ(gradients.gradients.key(t, column), clean_gradients.gradients.key(t, column)) << "token " << t;
      }
    }
  }
}

TEST_F(AttentionMask, ASinkOfMinusInfinityIsNone) {
  AttentionCase with = plain_case(true);
  with.sink = true;
  AttentionData data(with, Dtype::f32, kSeed);
  const AttentionData without(plain_case(true), Dtype::f32, kSeed);
  std::fill(data.tensors.sink.data.begin(), data.tensors.sink.data.end(), -std::numeric_limits<double>::infinity());
  const auto saved = reference::attention(without.setup, without.tensors);
  EXPECT_EQ(run_forward(test_backend(), data).images, run_forward(test_backend(), without).images);
  const auto got = run_backward(test_backend(), data, saved).gradients;
  const auto expected = run_backward(test_backend(), without, saved).gradients;
  for (size_t i = 0; i < kGradients; ++i) {
    if (listed(got)[i] == &got.sink) continue;
    EXPECT_EQ(listed(got)[i]->data, listed(expected)[i]->data) << kGradientNames[i];
  }
  EXPECT_EQ(got.sink.data, data.before.sink.data) << "no gradient";
}

// gpt-oss, as published: the sink is a column more of the logits, softmax runs over all columns, and the last one is
// dropped. With its logit at 0 that is softmax_1: exp(L_j) / (1 + sum of exp(L)).
TEST_F(AttentionMask, ASinkIsAColumnOfLogitsThatIsDropped) {
  AttentionCase c = plain_case(true);
  c.rate = 0.0f;
  c.sink = true;
  AttentionData data(c, Dtype::f32, kSeed);
  data.tensors.sink(0, 1) = 0.0;
  const auto expected = reference::attention(data.setup, data.lifted<Rounded32>());
  const AttentionOutputs got = run_forward(test_backend(), data);
  for (int64_t s = 0; s < data.batch.sequences(); ++s) {
    for (int64_t h = 0; h < 2; ++h) {
      const auto queries = turned_head(data.setup, data.tensors, true, s, h);
      const auto keys = turned_head(data.setup, data.tensors, false, s, h);
      for (int64_t i = 0; i < data.setup.length(s); ++i) {
        const int64_t token = data.setup.begin(s) + i;
        std::vector<double> columns = attention_row(data.setup, data.tensors, queries, keys, s, h, i).logits;
        columns.push_back(data.tensors.sink(0, h));
        const double peak = *std::max_element(columns.begin(), columns.end());
        double total = 0.0;
        for (double& column : columns) total += column = std::exp(column - peak);
        columns.pop_back();
        for (int64_t v = 0; v < 8; ++v) {
          double sum = 0.0;
          for (size_t j = 0; j < columns.size(); ++j) {
            sum += columns[j] / total * data.tensors.value(data.setup.begin(s) + static_cast<int64_t>(j), h * 8 + v);
          }
          ASSERT_NEAR(got.out(token, h * 8 + v), sum, expected.out(token, h * 8 + v).error) << "token " << token;
        }
      }
    }
  }
}

// Without the sink's share in what the softmax takes back, and with log_sum coarse, gradients near 0 would show it.
TEST_F(AttentionMask, LargeLogitsKeepTheirGradientsBesideALargeSink) {
  AttentionCase c = plain_case(false);
  c.pairs = 0;
  c.rate = 0.0f;
  c.sink = true;
  AttentionData data(c, Dtype::f32, kSeed);
  for (double& q : data.tensors.query.data) q = representable(q * 1000.0, Dtype::f32);
  data.tensors.sink(0, 0) = 2000.0;
  data.tensors.sink(0, 1) = 900.0;
  const auto saved = reference::attention(data.setup, data.tensors);
  expect_gradients(data, run_backward(test_backend(), data, saved).gradients,
                   expected_gradients<Rounded32>(data, saved));
}

}  // namespace attention_mask_test
}  // namespace phasor
