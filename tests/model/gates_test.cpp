// Models with gates against models that must be the same, bit for bit: what differs is only where a number comes from.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/model_case.h"
#include "model/thread_guard.h"
#include "phasor/engine/download.h"
#include "support/backend.h"

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

// Gates that are open in one model and shut in the other make a difference: the tests above can fail.
TEST_P(GatedModel, GatesCount) {
  ModelData open = data_of("fox"), shut = open;
  set_gates(open, 0.0f, 100.0f);
  set_gates(shut, 0.0f, -3.0f);
  EXPECT_NE(run(open).logits, run(shut).logits);
}

}  // namespace gates_test
}  // namespace phasor::testing_support
