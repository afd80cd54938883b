// Models with gates against models that must be the same, bit for bit: what differs is only where a number comes from.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/model_case.h"
#include "model/thread_guard.h"
#include "phasor/engine/download.h"
#include "support/backend.h"
#include "support/device.h"

namespace phasor::testing_support {
namespace gates_test {

const std::vector<int32_t> kLengths = {10, 7, 1, 33};

class GatedModel : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (tested_device() != kDefaultDevice) GTEST_SKIP() << "the cuda backend refuses gates";
  }

  static ModelData data_of(const std::string& encoding) {
    ModelConfig config = small_model(encoding.c_str());
    config.causal = GetParam();
    config.max_length = 40;
    return {config, kLengths, 47};
  }

  // The other model's numbers where both have a tensor of that name.
  static ModelData with_numbers_of(const std::string& encoding, const ModelData& other) {
    ModelData data = data_of(encoding);
    for (const Parameter& entry : data.layout.entries()) {
      for (const Parameter& same : other.layout.entries()) {
        if (same.name != entry.name) continue;
        std::copy_n(other.parameters.begin() + same.offset, same.size, data.parameters.begin() + entry.offset);
      }
    }
    return data;
  }

  static void set_gates(ModelData& data, float weight, float bias) {
    for (const Parameter& entry : data.layout.entries()) {
      const bool gate = entry.name.ends_with(".fox.weight") || entry.name.ends_with(".cable.weight") ||
                        entry.name.ends_with(".fox.bias") || entry.name.ends_with(".cable.bias");
      if (!gate) continue;
      std::fill_n(data.parameters.begin() + entry.offset, entry.size, entry.name.ends_with("weight") ? weight : bias);
    }
  }

  // What the first layer's gates come to per token.
  static double step_of(const ModelData& data) {
    Transformer model(test_backend(), data.config, data.encoding, options_for(data.batch, Dtype::f32));
    model.load_parameters(data.parameters);
    model.forward(data.batch);
    const View<double, 2>& prefix = model.activations().layers[0].prefix;
    return download(test_backend(), prefix.data(), prefix.extent(1)).front();
  }

  static ModelNumbers run(const ModelData& data) { return run_model(test_backend(), data, Dtype::f32); }

  const ThreadGuard one_thread_{1};
};

INSTANTIATE_TEST_SUITE_P(Masks, GatedModel, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "causal" : "looking_ahead"; });

TEST_P(GatedModel, GatesOfOneAreNope) {
  ModelData fox = data_of("fox");
  set_gates(fox, 0.0f, 100.0f);
  const ModelNumbers gated = run(fox);
  EXPECT_EQ(gated.logits, run(with_numbers_of("nope", fox)).logits);
  ModelData cable = with_numbers_of("cable", fox);
  set_gates(cable, 0.0f, -100.0f);
  EXPECT_EQ(gated.logits, run(cable).logits);
}

TEST_P(GatedModel, ConstantGatesAreAlibiWithThatSlope) {
  for (const std::string name : {"fox", "cable"}) {
    ModelData gated = data_of(name);
    set_gates(gated, 0.0f, 0.3f);
    const double slope = -step_of(gated);
    const double expected = name == "fox" ? std::log1p(std::exp(-0.3)) : std::log1p(std::exp(0.3));
    EXPECT_NEAR(slope, expected, 16.0 * 0x1p-24 * expected);
    // The step is a float, so multiples of it are exact in double in either model.
    const ModelData alibi = with_numbers_of(fmt::format("bias(\"-a*abs(d)\",a={:.17g})", slope), gated);
    EXPECT_EQ(run(gated).logits, run(alibi).logits) << name;
  }
}

TEST_P(GatedModel, CableIsFoxWithOtherSigns) {
  const ModelData fox = data_of("fox+rope");
  ModelData cable = with_numbers_of("cable+rope", fox);
  for (const Parameter& entry : cable.layout.entries()) {
    const size_t at = entry.name.find(".cable.");
    if (at == std::string::npos) continue;
    const Parameter& same = fox.layout.find(entry.name.substr(0, at) + ".fox." + entry.name.substr(at + 7));
    for (int64_t i = 0; i < entry.size; ++i) {
      cable.parameters[static_cast<size_t>(entry.offset + i)] = -fox.parameters[static_cast<size_t>(same.offset + i)];
    }
  }
  EXPECT_EQ(run(fox).logits, run(cable).logits);
}

// Logits of the first layer, [heads, n, n] of the longest sequence, whose queries and keys are the same in both models.
std::vector<float> first_logits(const ModelData& data, double& size) {
  Transformer model(test_backend(), data.config, data.encoding, options_for(data.batch, Dtype::f32));
  model.load_parameters(data.parameters);
  model.forward(data.batch);
  const Attention attention = model.attention(0);
  const int64_t n = kLengths.back(), heads = data.config.heads;
  const DeviceArray<float> logits(test_backend(), {}, heads * n * n);
  AttentionDenseForward op{.sequence = static_cast<int32_t>(kLengths.size()) - 1, .attention = attention};
  op.logits = View<float, 3>(logits.data(), heads, n, n);
  test_backend().run(op);
  size = 0.0;
  for (const ConstMatrix& part : {attention.query, attention.key}) {
    double largest = 0.0;
    for (const float x : download(test_backend(), part, data.batch.token_count())) {
      largest = std::max(largest, std::abs(double{x}));
    }
    size = size == 0.0 ? largest : size * largest;
  }
  size *= attention.scale * static_cast<double>(data.config.head_width);
  return logits.read(heads * n * n);
}

// Angles that all tokens make alike are those of positions: w (t + 1) - w (s + 1) = w (t - s).
TEST_P(GatedModel, ConstantAnglesAreRope) {
  for (const std::string rank : {"0", "3"}) {
    ModelData selective = data_of("selective_rope(rank=" + rank + ",base=100)");
    for (const Parameter& entry : selective.layout.entries()) {
      if (!entry.name.ends_with("selective_rope.weight") && !entry.name.ends_with("selective_rope.bias")) continue;
      std::fill_n(selective.parameters.begin() + entry.offset, entry.size, entry.name.ends_with("bias") ? 1.0f : 0.0f);
    }
    double size = 0.0;
    const std::vector<float> got = first_logits(selective, size);
    const std::vector<float> expected = first_logits(with_numbers_of("rope(base=100)", selective), size);
    double worst = 0.0;
    for (size_t i = 0; i < got.size(); ++i) {
      if (std::isinf(got[i]) && std::isinf(expected[i])) continue;
      worst = std::max(worst, std::abs(double{got[i]} - double{expected[i]}));
    }
    // Each product of two turned pairs has four factors that stray by up to 4 units of 2^-24, and logits are rounded.
    EXPECT_LT(worst, 2.0 * (4.0 * 4.0 + 4.0) * 0x1p-24 * size) << "rank " << rank;
    EXPECT_GT(worst, 0.0) << "the two are computed in different ways";
  }
}

TEST_P(GatedModel, EqualAnglesAreNope) {
  ModelData repo = data_of("repo(linear)");
  for (const Parameter& entry : repo.layout.entries()) {
    if (entry.name.ends_with("repo.weight")) std::fill_n(repo.parameters.begin() + entry.offset, entry.size, 0.0f);
  }
  EXPECT_EQ(run(repo).logits, run(with_numbers_of("nope", repo)).logits) << "an angle of 0 turns nothing";
}

// Gates that are open in one model and shut in the other make a difference: the tests above can fail.
TEST_P(GatedModel, GatesCount) {
  ModelData open = data_of("fox"), shut = open;
  set_gates(open, 0.0f, 100.0f);
  set_gates(shut, 0.0f, -3.0f);
  EXPECT_NE(run(open).logits, run(shut).logits);
}

}  // namespace gates_test
}  // namespace phasor::testing_support
