// Models whose attention needs all logits of a head: what they are equal to, and what they refuse.
#include <gtest/gtest.h>

#include <algorithm>

#include "model/model_case.h"
#include "model/plain_error.h"
#include "model/thread_guard.h"
#include "phasor/base/error.h"
#include "phasor/model/flops.h"
#include "support/backend.h"
#include "support/device.h"

namespace phasor::testing_support {
namespace dense_models_test {

const std::vector<int32_t> kLengths = {10, 7, 1, 33};

ModelData data_of(const std::string& encoding, bool causal = true) {
  ModelConfig config = small_model(encoding);
  config.causal = causal;
  config.max_length = 40;
  return {config, kLengths, 47};
}

ModelData with_numbers_of(const std::string& encoding, const ModelData& other) {
  ModelData data = data_of(encoding, other.config.causal);
  for (const Parameter& entry : data.layout.entries()) {
    for (const Parameter& same : other.layout.entries()) {
      if (same.name != entry.name) continue;
      std::copy_n(other.parameters.begin() + same.offset, same.size, data.parameters.begin() + entry.offset);
    }
  }
  return data;
}

// The first layer's, [heads, n, n] of the longest sequence: of the same queries and keys in models with the same
// numbers, and in double.
std::vector<float> first_logits(const ModelData& data) {
  Transformer model(test_backend(), data.config, data.encoding, options_for(data.batch, Dtype::f32));
  model.load_parameters(data.parameters);
  model.forward(data.batch);
  const int64_t n = kLengths.back(), heads = data.config.heads;
  const DeviceArray<float> logits(test_backend(), {}, heads * n * n);
  AttentionDenseForward op{.sequence = static_cast<int32_t>(kLengths.size()) - 1, .attention = model.attention(0)};
  op.logits = View<float, 3>(logits.data(), heads, n, n);
  test_backend().run(op);
  return logits.read(heads * n * n);
}

class CausalDenseModels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (tested_device() != kDefaultDevice) GTEST_SKIP() << "the cuda backend refuses dense terms";
  }
  const ThreadGuard one_thread_{1};
};

class DenseModels : public CausalDenseModels, public ::testing::WithParamInterface<bool> {};

INSTANTIATE_TEST_SUITE_P(Masks, DenseModels, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "causal" : "looking_ahead"; });

// Bit for bit: where nothing is far, or far keys see the same angle, only the loops around are others.
TEST_P(DenseModels, WhatIsRopeIsRope) {
  const ModelData rope = data_of("rope(layout=half,base=100)", GetParam());
  const std::vector<float> expected = first_logits(rope);
  for (const char* encoding :
       {"self_extend(group=1,window=4,layout=half,base=100)", "self_extend(group=5,window=33,layout=half,base=100)",
        "rerope(window=33,layout=half,base=100)", "rerope(window=4,leak=1,layout=half,base=100)"}) {
    EXPECT_EQ(first_logits(with_numbers_of(encoding, rope)), expected) << encoding;
  }
  for (const char* encoding :
       {"self_extend(group=2,window=4,layout=half,base=100)", "rerope(window=31,layout=half,base=100)"}) {
    EXPECT_NE(first_logits(with_numbers_of(encoding, rope)), expected) << encoding;
  }
}

// The whole model, whose attention of rope is tiled and in float: by the rule that any engine has.
TEST_P(DenseModels, GroupsOfOneTrainAsRope) {
  const ModelData rope = data_of("rope", GetParam());
  const ModelNumbers truth = differentiate<double>(rope);
  const PlainErrors plain = plain_errors<Dtype::f32>(rope);
  const ModelNumbers got =
      run_model(test_backend(), with_numbers_of("self_extend(group=1,window=4)", rope), Dtype::f32);
  EXPECT_TRUE(near_enough({"", "logits"}, got.logits, truth.logits,
                          error_bound(kValueFactor, plain.logits, largest_of(truth.logits))));
  EXPECT_NE(got.logits, run_model(test_backend(), rope, Dtype::f32).logits) << "the two are computed in different ways";
}

void fill(ModelData& data, const std::string& ending, float value) {
  for (const Parameter& entry : data.layout.entries()) {
    if (entry.name.ends_with(ending)) std::fill_n(data.parameters.begin() + entry.offset, entry.size, value);
  }
}

TEST_F(CausalDenseModels, ReflectionsOfNoStrengthAreNope) {
  ModelData path = data_of("path(rank=3)");
  const std::vector<float> nope = first_logits(with_numbers_of("nope", path));
  EXPECT_NE(first_logits(path), nope);
  fill(path, ".strength_weight", 0.0f);
  fill(path, ".strength_bias", -1000.0f);
  EXPECT_EQ(first_logits(path), nope);
}

TEST_F(CausalDenseModels, PositionsWithoutVectorsAreNope) {
  ModelData cope = data_of("cope(max=4,init=0.5)");
  const std::vector<float> nope = first_logits(with_numbers_of("nope", cope));
  EXPECT_NE(first_logits(cope), nope);
  fill(cope, ".vectors", 0.0f);
  EXPECT_EQ(first_logits(cope), nope);
}

// --- Refusals ------------------------------------------------------------------------------------

std::string refusal(const char* encoding, int64_t length, bool causal) {
  ModelConfig config = small_model(encoding);
  config.causal = causal;
  config.max_length = length;
  try {
    resolve_encoding(complete(config));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(DenseModelLimits, LongerSequencesAreRefusedByName) {
  for (const char* encoding : {"cope", "path", "self_extend", "rerope"}) {
    EXPECT_EQ(refusal(encoding, 512, true), "") << encoding;
    EXPECT_EQ(
        refusal(encoding, 513, true),
        std::string("encoding ") + encoding + ": '" + encoding +
            "' needs all logits of a head at once and takes sequences of at most 512 tokens; here the longest has 513");
  }
  EXPECT_NE(
      refusal("alibi+rerope(window=3)[layers=1]", 600, false).find("'rerope(window=3)[layers=1]' needs all logits"),
      std::string::npos);
}

TEST(DenseModelLimits, ModelsThatLookAheadAreRefusedWithTheReason) {
  for (const char* encoding : {"cope", "path"}) {
    EXPECT_NE(refusal(encoding, 10, false).find("not for keys behind the query; set model.causal=true"),
              std::string::npos)
        << encoding;
  }
  for (const char* encoding : {"self_extend", "rerope"}) EXPECT_EQ(refusal(encoding, 10, false), "") << encoding;
}

// --- Flops ---------------------------------------------------------------------------------------

// Multiplications of a forward pass beyond those of nope, six for each in training.
double more_than_nope(const std::string& encoding) {
  const ModelData data = data_of(encoding), nope = data_of("nope");
  return (training_flops(data.config, data.encoding, data.batch) -
          training_flops(nope.config, nope.encoding, nope.batch)) /
         6.0;
}

TEST(DenseModelFlops, CountWhatIsMultiplied) {
  const double tokens = 51.0, layers = 2.0, heads = 3.0, head_width = 4.0, width = 12.0;
  double pairs = 0.0;  // that see each other in one head
  for (const double n : {10.0, 7.0, 1.0, 33.0}) pairs += n * (n + 1.0) / 2.0;
  EXPECT_DOUBLE_EQ(more_than_nope("cope(max=4)"), layers * tokens * heads * head_width * 5.0);
  EXPECT_DOUBLE_EQ(
      more_than_nope("path(rank=2)"),
      layers * (tokens * (heads * width + 2.0 * (width + heads * head_width)) + 2.0 * head_width * heads * pairs));
  EXPECT_DOUBLE_EQ(more_than_nope("path(rank=0)[heads=1][layers=0]"),
                   tokens * (width + width * head_width) + 2.0 * head_width * pairs);
  EXPECT_DOUBLE_EQ(more_than_nope("self_extend"), 0.0);
}

}  // namespace dense_models_test
}  // namespace phasor::testing_support
