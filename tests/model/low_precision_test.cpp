// bf16: activations and their gradients are stored with 8 significant bits, products add up in fp32, parameters
// stay fp32. The rule is flash-attention's: as good as a plain computation that rounds at the same places.
#include <gtest/gtest.h>

#include "model/plain_error.h"
#include "model/thread_guard.h"
#include "support/backend.h"

namespace phasor {
namespace low_precision_test {

using namespace testing_support;

constexpr uint64_t kSeed = 41;

std::vector<ModelCase> cases() {
  return {{"rope", small_model("rope")},
          {"rope_learned", small_model("rope(frequencies=learned)")},
          {"relative", small_model("relative+sinusoidal(scale=learned(0.5))")},
          {"mla", small_model("mla")},
          {"mla_shared_without_norm", small_model("mla(query=shared,norm=none)")},
          model_case("gelu", small_model("alibi"), [](ModelConfig& c) { c.ffn = Activation::gelu; }),
          model_case("rms_causal_grouped", small_model("rope"),
                     [](ModelConfig& c) {
                       c.norm = NormKind::rms;
                       c.causal = true;
                       c.heads = 4;
                       c.kv_heads = 2;
                       c.head_width = 6;
                     }),
          model_case("dropout", small_model("learned"), [](ModelConfig& c) { c.dropout = 0.2; }),
          model_case("input_keys", small_model("learned+rope"),
                     [](ModelConfig& c) {
                       c.kv_source = KvSource::input;
                       c.final_norm = false;
                     }),
          model_case("read_token", small_model("sinusoidal"), [](ModelConfig& c) { c.readout = Readout::token; }),
          model_case("read_every", small_model("rope"), [](ModelConfig& c) { c.readout = Readout::every; }),
          model_case("read_every_plain", small_model("nope"), [](ModelConfig& c) {
            c.readout = Readout::every;
            c.final_norm = false;
          })};
}

class LowPrecision : public testing::TestWithParam<ModelCase> {
 protected:
  void SetUp() override { PHASOR_SKIP_WITHOUT(Dtype::bf16); }

  const ThreadGuard one_thread_{1};
  ModelData data_{GetParam().config, {5, 1, 8, 3}, kSeed};
  ModelNumbers truth_ = differentiate<double>(data_);
};

TEST_P(LowPrecision, IsAsGoodAsPlainBf16) {
  const PlainErrors plain = plain_errors<Dtype::bf16>(data_);
  const ModelNumbers got = run_model(test_backend(), data_, Dtype::bf16);
  const std::string name = GetParam().name;
  const double bound = error_bound(kValueFactor, plain.logits, largest_of(truth_.logits));
  EXPECT_TRUE(near_enough({"bf16 logits", name}, got.logits, truth_.logits, bound));
  EXPECT_TRUE(near_enough({"bf16 losses", name}, got.losses, truth_.losses, 2.0 * bound));
  EXPECT_NEAR(got.loss, truth_.loss, 2.0 * bound);
  const std::vector<double> bounds = gradient_bounds(data_, plain, truth_.gradients);
  for (size_t e = 0; e < bounds.size(); ++e) {
    const Parameter& entry = data_.layout.entries()[e];
    EXPECT_TRUE(near_enough({"bf16 gradient", name + " " + entry.name}, piece(got.gradients, entry),
                            piece(truth_.gradients, entry), bounds[e]));
  }
}

// What is stored in bf16 shows: neither did fp32 run under another name, nor is anything rounded more coarsely.
TEST_P(LowPrecision, ErrorsHaveTheSizeOfBf16) {
  const ModelNumbers wide = run_model(test_backend(), data_, Dtype::f32);
  const ModelNumbers narrow = run_model(test_backend(), data_, Dtype::bf16);
  const double unit = reference::unit_roundoff(Dtype::bf16);
  const double scale = largest_of(truth_.logits);
  EXPECT_LT(largest_error(wide.logits, truth_.logits), 1e-3 * unit * scale);
  EXPECT_GT(largest_error(narrow.logits, truth_.logits), 1e-2 * unit * scale);
  EXPECT_LT(largest_error(narrow.logits, truth_.logits), 10.0 * unit * scale);
}

// The CPU engine rounds to bf16 where it stores and nowhere else. The plain model does the same, so that both
// agree almost to fp32, a hundred times better than with the truth, unless some number lay so close to the edge
// between two bf16 neighbours that it fell to the other side: that may happen, but not in most runs.
TEST(LowPrecisionPlaces, RoundsOnlyWhereItStores) {
  PHASOR_SKIP_WITHOUT(Dtype::bf16);
  if (test_backend().description().rfind("cpu", 0) != 0) GTEST_SKIP() << "other devices round inside attention too";
  const ThreadGuard one_thread(1);
  int runs = 0;
  int alike = 0;
  for (const ModelCase& model : cases()) {
    for (const uint64_t seed : {51, 52, 53}) {
      const ModelData data(model.config, {5, 1, 8, 3}, seed);
      const ModelNumbers truth = differentiate<double>(data);
      const ModelNumbers plain = differentiate<float, Dtype::bf16>(data);
      const ModelNumbers got = run_model(test_backend(), data, Dtype::bf16);
      bool all = true;
      for (const Parameter& entry : data.layout.entries()) {
        const double error = largest_error(piece(plain.gradients, entry), piece(truth.gradients, entry));
        all = all && largest_error(piece(got.gradients, entry), piece(plain.gradients, entry)) <= 0.01 * error;
      }
      runs += 1;
      alike += all ? 1 : 0;
    }
  }
  EXPECT_GT(2 * alike, runs) << alike << " of " << runs << " runs";
  RecordProperty("alike", alike);
}

INSTANTIATE_TEST_SUITE_P(Cases, LowPrecision, testing::ValuesIn(cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace low_precision_test
}  // namespace phasor
