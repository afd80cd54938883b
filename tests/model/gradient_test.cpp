// The whole model's gradients. The truth is the reference model in double, differentiated on a tape; that it is
// the derivative is checked by complex steps, and that the engine agrees is checked element by element.
#include <gtest/gtest.h>

#include <algorithm>

#include "model/encoding_cases.h"
#include "model/plain_error.h"
#include "model/thread_guard.h"
#include "reference/complex_step.h"
#include "support/backend.h"

namespace phasor {
namespace gradient_test {

using namespace testing_support;
using reference::Complex;
using reference::kComplexStep;

constexpr uint64_t kSeed = 31;
const std::vector<int32_t> kLengths = {5, 1, 8, 3};

std::vector<ModelCase> cases() {
  std::vector<ModelCase> all = encoding_cases();
  all.push_back(model_case("rope_causal", small_model("rope"), [](ModelConfig& c) { c.causal = true; }));
  all.push_back(model_case("gelu", small_model("rope"), [](ModelConfig& c) { c.ffn = Activation::gelu; }));
  all.push_back(model_case("rms_norm", small_model("alibi"), [](ModelConfig& c) { c.norm = NormKind::rms; }));
  all.push_back(model_case("grouped_keys", small_model("rope"), [](ModelConfig& c) {
    c.heads = 4;
    c.kv_heads = 2;
    c.head_width = 6;
  }));
  all.push_back(model_case("no_final_norm", small_model("rope"), [](ModelConfig& c) { c.final_norm = false; }));
  all.push_back(model_case("dropout", small_model("rope"), [](ModelConfig& c) { c.dropout = 0.2; }));
  all.push_back(model_case("dropout_causal_grouped", small_model("alibi"), [](ModelConfig& c) {
    c.dropout = 0.3;
    c.causal = true;
    c.heads = 4;
    c.kv_heads = 2;
    c.head_width = 4;
  }));
  all.push_back(model_case("dropout_after_ffn", small_model("mla"), [](ModelConfig& c) {
    c.dropout = 0.2;
    c.dropout_sites = DropoutSites::ffn;
  }));
  all.push_back(model_case("logits_scaled", small_model("rope+alibi"), [](ModelConfig& c) { c.logit_scale = 0.6; }));
  all.push_back(model_case("input_keys_one_layer", small_model("learned"), [](ModelConfig& c) {
    c.kv_source = KvSource::input;
    c.layers = 1;
  }));
  all.push_back(model_case("input_keys_grouped", small_model("rope"), [](ModelConfig& c) {
    c.kv_source = KvSource::input;
    c.layers = 3;
    c.dropout = 0.2;
    c.causal = true;
    c.heads = 4;
    c.kv_heads = 2;
    c.head_width = 6;
  }));
  all.push_back(model_case("read_token", small_model("rope"), [](ModelConfig& c) { c.readout = Readout::token; }));
  all.push_back(model_case("read_every", small_model("rope"), [](ModelConfig& c) { c.readout = Readout::every; }));
  all.push_back(model_case("read_token_plain", small_model("learned"), [](ModelConfig& c) {
    c.readout = Readout::token;
    c.final_norm = false;
  }));
  all.push_back(model_case("read_every_plain", small_model("nope"), [](ModelConfig& c) {
    c.readout = Readout::every;
    c.final_norm = false;
    c.dropout = 0.1;
  }));
  return all;
}

// Those whose gradients are rounded finely enough for a fault of 1e-5 to stand out, every kind of table among them.
std::vector<ModelCase> fault_cases() {
  const std::vector<std::string> names = {
      "nope",          "sinusoidal",      "learned",         "alibi",       "rope",
      "rope_half",     "relative",        "kerple_power",    "t5",          "rope_learned",
      "mla",           "sinusoidal_rope", "rope_axial",      "rope_causal", "gelu",
      "rms_norm",      "grouped_keys",    "dropout",         "read_token",  "read_every",
      "no_final_norm", "layers_differ",   "rope_on_one_head"};
  std::vector<ModelCase> chosen;
  for (const ModelCase& one : cases()) {
    const bool input_keys = one.config.kv_source == KvSource::input;
    if (input_keys || std::find(names.begin(), names.end(), one.name) != names.end()) chosen.push_back(one);
  }
  return chosen;
}

// Names the first tensor that disagrees.
testing::AssertionResult gradients_agree(const Tensor& name, const ModelData& data, const std::vector<double>& got,
                                         const std::vector<double>& truth, const PlainErrors& plain) {
  const std::vector<double> bounds = gradient_bounds(data, plain, truth);
  for (size_t e = 0; e < bounds.size(); ++e) {
    const Parameter& entry = data.layout.entries()[e];
    const testing::AssertionResult result =
        near_enough({name.family, name.name + " " + entry.name}, piece(got, entry), piece(truth, entry), bounds[e]);
    if (!result) return result;
  }
  return testing::AssertionSuccess();
}

class ModelGradient : public testing::TestWithParam<ModelCase> {
 protected:
  const ThreadGuard one_thread_{1};
  ModelData data_{GetParam().config, kLengths, kSeed};
  ModelNumbers truth_ = differentiate<double>(data_);
};

TEST_P(ModelGradient, ReferenceIsTheComplexStep) {
  // Both are exact but for roundings of double, of which some 1e3 lie behind a gradient; they refer to the terms
  // of its sums, which may be 1e2 times as large as the result.
  constexpr double kTolerance = 1e5 * std::numeric_limits<double>::epsilon();
  constexpr uint32_t kDirections = 3;
  constexpr int64_t kSmall = 12;
  const auto derivative = [&](const Parameter& entry, const std::vector<double>& direction) {
    std::vector<Complex> z(data_.parameters.begin(), data_.parameters.end());
    for (size_t i = 0; i < direction.size(); ++i) {
      z[static_cast<size_t>(entry.offset) + i] += Complex(0.0, kComplexStep * direction[i]);
    }
    return ReferenceModel<Complex>(data_, std::move(z)).run().loss.imag() / kComplexStep;
  };
  for (const Parameter& entry : data_.layout.entries()) {
    const auto gradient = piece(truth_.gradients, entry);
    const double scale = largest_of(piece(truth_.gradients, data_.layout.find(same_terms(entry.name))));
    std::vector<double> direction(gradient.size());
    for (size_t i = 0; i < gradient.size() && entry.size <= kSmall; ++i) {
      std::fill(direction.begin(), direction.end(), 0.0);
      direction[i] = 1.0;
      EXPECT_NEAR(gradient[i], derivative(entry, direction), kTolerance * scale) << entry.name << " element " << i;
    }
    for (uint32_t d = 0; d < kDirections; ++d) {
      const RandomStream stream{.seed = kSeed, .purpose = Purpose::test, .site = 3, .step = d};
      double expected = 0.0;
      double size = 0.0;
      for (size_t i = 0; i < direction.size(); ++i) {
        direction[i] = normal(stream, static_cast<uint64_t>(entry.offset) + i);
        expected += direction[i] * gradient[i];
        size += std::abs(direction[i]) * scale;
      }
      EXPECT_NEAR(expected, derivative(entry, direction), kTolerance * size) << entry.name << " direction " << d;
    }
  }
}

TEST_P(ModelGradient, EngineIsAsGoodAsPlainFp32) {
  const PlainErrors plain = plain_errors<Dtype::f32>(data_);
  const ModelNumbers got = run_model(test_backend(), data_, Dtype::f32);
  const std::string name = GetParam().name;
  const double bound = error_bound(kValueFactor, plain.logits, largest_of(truth_.logits));
  EXPECT_TRUE(near_enough({"logits", name + " logits"}, got.logits, truth_.logits, bound));
  // A loss is a difference of logits: at most twice their error.
  EXPECT_TRUE(near_enough({"losses", name + " losses"}, got.losses, truth_.losses, 2.0 * bound));
  EXPECT_NEAR(got.loss, truth_.loss, 2.0 * bound);
  EXPECT_TRUE(gradients_agree({"gradient", name}, data_, got.gradients, truth_.gradients, plain));
}

// A sequence does not see what else is in its batch: neither lengths nor draws nor places depend on it.
TEST_P(ModelGradient, SequencesAloneGiveTheSameLogits) {
  if (data_.config.dropout > 0.0) GTEST_SKIP() << "a sequence's dropout mask goes by its place in the batch";
  const PlainErrors plain = plain_errors<Dtype::f32>(data_);
  const double bound = error_bound(kValueFactor, plain.logits, largest_of(truth_.logits));
  const Batch whole = data_.batch;
  size_t first = 0;  // target of the sequence
  for (int64_t s = 0; s < whole.sequence_count(); ++s) {
    const int64_t begin = whole.offsets[static_cast<size_t>(s)];
    const int64_t length = whole.offsets[static_cast<size_t>(s) + 1] - begin;
    const int64_t targets = data_.config.readout == Readout::every ? length : 1;
    Batch one;
    one.append(whole.tokens.data() + begin, length, whole.targets.data() + first, targets,
               whole.places[static_cast<size_t>(s)]);
    one.finish();
    data_.batch = one;
    const ModelNumbers got = run_model(test_backend(), data_, Dtype::f32);
    const auto from = truth_.logits.begin() + static_cast<int64_t>(first) * data_.config.classes;
    const std::vector<double> expected(from, from + targets * data_.config.classes);
    EXPECT_TRUE(near_enough({"", GetParam().name + " alone"}, got.logits, expected, bound)) << "sequence " << s;
    first += static_cast<size_t>(targets);
  }
}

// Tests of the test: a small fault in any one tensor, or in one constant of the formula, is found.
class ModelGradientFault : public ModelGradient {};

TEST_P(ModelGradientFault, AFaultInOneElementIsFound) {
  const PlainErrors plain = plain_errors<Dtype::f32>(data_);
  const ModelNumbers got = run_model(test_backend(), data_, Dtype::f32);
  for (const Parameter& entry : data_.layout.entries()) {
    // Gradients by queries, keys and biases are what is left where much larger terms cancel (a row of logits may move
    // as a whole at no cost), and so are rounded more coarsely.
    const auto within_name = [&](const char* part) { return entry.name.find(part) != std::string::npos; };
    const bool cancels = within_name("query") || within_name("key") || within_name("encoding.");
    const double fault =
        (cancels ? 1e-4 : 1e-5) * largest_of(piece(truth_.gradients, data_.layout.find(same_terms(entry.name))));
    for (const size_t i : {size_t{0}, static_cast<size_t>(entry.size) - 1}) {
      std::vector<double> faulty = got.gradients;
      faulty[static_cast<size_t>(entry.offset) + i] += fault;
      EXPECT_FALSE(gradients_agree({}, data_, faulty, truth_.gradients, plain)) << entry.name << " element " << i;
    }
  }
}

TEST_P(ModelGradientFault, AnotherLogitScaleIsFound) {
  const PlainErrors plain = plain_errors<Dtype::f32>(data_);
  const ModelNumbers got = run_model(test_backend(), data_, Dtype::f32);
  const ModelNumbers other = differentiate<double>(data_, 1.0 + 1e-4);
  EXPECT_FALSE(gradients_agree({}, data_, got.gradients, other.gradients, plain));
}

INSTANTIATE_TEST_SUITE_P(Cases, ModelGradient, testing::ValuesIn(cases()),
                         [](const auto& tested) { return tested.param.name; });
INSTANTIATE_TEST_SUITE_P(Cases, ModelGradientFault, testing::ValuesIn(fault_cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace gradient_test
}  // namespace phasor
