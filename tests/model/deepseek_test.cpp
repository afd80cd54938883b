// Multi-head latent attention against an outside implementation: one attention module of a tiny DeepSeek-V3, run in
// double by Hugging Face transformers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "encoding/huggingface_fixture.h"
#include "model/model_case.h"
#include "support/backend.h"
#include "support/device.h"

namespace phasor::testing_support {
namespace deepseek_test {

// The norm in front of the attention takes this size out again; beside it the norm's epsilon is nothing.
constexpr double kStreamSize = 1000.0;

class DeepSeek : public ::testing::Test {
 protected:
  ModelConfig config() const {
    ModelConfig config;
    config.layers = 1;
    config.width = mla_.width;
    config.hidden = 8;
    config.heads = mla_.heads;
    config.norm = NormKind::rms;
    config.encoding = fmt::format("mla(kv={},q={},rope={},layout={})", mla_.key_value_rank, mla_.query_rank,
                                  mla_.rotated_width, mla_.interleaved ? "interleaved" : "half");
    config.vocabulary = mla_.tokens;
    config.classes = 2;
    config.max_length = mla_.tokens;
    return complete(config);
  }

  // Rows [first, first + rows) of every head's block of `block` rows.
  std::vector<double> head_rows(const std::string& name, int64_t block, int64_t first, int64_t rows,
                                int64_t columns) const {
    const std::vector<double> all = mla_.tensor("weight/" + name + ".weight", {mla_.heads * block, columns});
    std::vector<double> part;
    for (int64_t h = 0; h < mla_.heads; ++h) {
      const auto from = all.begin() + (h * block + first) * columns;
      part.insert(part.end(), from, from + rows * columns);
    }
    return part;
  }

  const testing_support::LatentAttention mla_ = testing_support::HuggingfaceFixture().mla();
};

TEST_F(DeepSeek, LogitsAgree) {
  const ModelConfig model_config = config();
  const ResolvedEncoding encoding = resolve_encoding(model_config);
  Transformer model(test_backend(), model_config, encoding,
                    {.capacity = {.tokens = mla_.tokens, .sequences = 1}, .training = false});
  const ParameterLayout& layout = model.layout();
  std::vector<float> parameters(static_cast<size_t>(layout.size()));
  const auto set = [&](const std::string& name, const std::vector<double>& values, double factor = 1.0) {
    const Parameter& entry = layout.find(name);
    ASSERT_EQ(entry.size, static_cast<int64_t>(values.size())) << name;
    for (size_t i = 0; i < values.size(); ++i) {
      parameters[static_cast<size_t>(entry.offset) + i] = static_cast<float>(factor * values[i]);
    }
  };
  const auto weight = [&](const char* name, const TensorShape& shape) {
    return mla_.tensor(fmt::format("weight/{}.weight", name), shape);
  };
  const std::vector<double> down = weight("kv_a_proj_with_mqa", {mla_.key_value_rank + mla_.rotated_width, mla_.width});
  const auto rotary = down.begin() + mla_.key_value_rank * mla_.width;
  const int64_t key_block = mla_.content_width + mla_.value_width;
  const std::string layer = "layers.0.attention.";
  set("embedding.weight", mla_.tensor("hidden", {mla_.tokens, mla_.width}), kStreamSize);
  set("layers.0.attention_norm.weight", std::vector<double>(static_cast<size_t>(mla_.width), 1.0));
  set(layer + "query_down.weight", weight("q_a_proj", {mla_.query_rank, mla_.width}));
  set(layer + "key_value_down.weight", {down.begin(), rotary});
  set(layer + "key_rotary.weight", {rotary, down.end()});
  set(layer + "query_norm.weight", weight("q_a_layernorm", {mla_.query_rank}));
  set(layer + "key_value_norm.weight", weight("kv_a_layernorm", {mla_.key_value_rank}));
  set(layer + "query_up.weight",
      weight("q_b_proj", {mla_.heads * (mla_.content_width + mla_.rotated_width), mla_.query_rank}));
  set(layer + "key_up.weight", head_rows("kv_b_proj", key_block, 0, mla_.content_width, mla_.key_value_rank));
  set(layer + "value_up.weight",
      head_rows("kv_b_proj", key_block, mla_.content_width, mla_.value_width, mla_.key_value_rank));
  model.load_parameters(parameters);

  Batch batch;
  std::vector<int32_t> tokens(static_cast<size_t>(mla_.tokens));
  for (size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<int32_t>(i);
  const int32_t target = 0;
  batch.append(tokens.data(), mla_.tokens, &target, 1, 0);
  batch.finish();
  model.forward(batch);

  const int64_t n = mla_.tokens;
  const DeviceArray<float> logits(test_backend(), {}, mla_.heads * n * n);
  AttentionDenseForward op{.attention = model.attention(0)};
  op.logits = View<float, 3>(logits.data(), mla_.heads, n, n);
  test_backend().run(op);
  const std::vector<float> got = logits.read(mla_.heads * n * n);
  const std::vector<double> expected = mla_.tensor("logits", {mla_.heads, n, n});
  double largest = 0.0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  // Sums of 32, 16 or 12, and 16 products one after the other, two norms, a rotation and the stored weights: some 60
  // roundings of fp32 at most, of terms whose absolute sum is a few times the largest logit.
  const double tolerance = 60.0 * 4.0 * 0x1p-24 * largest;
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(double{got[i]}, expected[i], tolerance) << "element " << i;
  }
}

}  // namespace deepseek_test
}  // namespace phasor::testing_support
