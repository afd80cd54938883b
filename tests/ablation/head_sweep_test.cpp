#include "phasor/ablation/head_sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ablation/sweep_case.h"
#include "model/encoding_cases.h"
#include "phasor/base/error.h"
#include "phasor/engine/download.h"

namespace phasor {
namespace head_sweep_test {

using testing_support::encoding_cases;
using testing_support::ModelCase;
using testing_support::small_model;
using testing_support::SweepCase;
using testing_support::test_backend;

constexpr int64_t kSamples = 13;

// Every attention kind: all encodings, and what the model itself can vary.
std::vector<ModelCase> attention_cases() {
  std::vector<ModelCase> cases = encoding_cases();
  const auto add = [&](const char* name, const char* encoding, const auto& change) {
    cases.push_back(testing_support::model_case(name, small_model(encoding), change));
  };
  add("grouped_keys", "rope",
      [](ModelConfig& config) { config.heads = 6, config.kv_heads = 3, config.head_width = 2; });
  add("causal", "rope", [](ModelConfig& config) { config.causal = true; });
  add("keys_from_input", "sinusoidal", [](ModelConfig& config) { config.kv_source = KvSource::input; });
  add("every_token", "alibi", [](ModelConfig& config) { config.readout = Readout::every; });
  add("one_token_gelu_rms", "rope", [](ModelConfig& config) {
    config.readout = Readout::token;
    config.ffn = Activation::gelu;
    config.norm = NormKind::rms;
    config.final_norm = false;
  });
  return cases;
}

class HeadSweepOf : public testing::TestWithParam<ModelCase> {};

TEST_P(HeadSweepOf, GoingOnFromALayerEqualsWholePassesBitForBit) {
  const SweepCase sweep(GetParam().config, kSamples);
  SweepOptions options{.samples = kSamples, .batch = 5, .draws = 2};
  const ScoreTable incremental = sweep.sweep(options);
  options.incremental = false;
  EXPECT_EQ(incremental, sweep.sweep(options));
}

// With a head's output at zero, its columns of W_O multiply nothing: whatever stands in them, no bit changes. With all
// other columns the sweep has nothing to do, so they must matter as they always do.
TEST_P(HeadSweepOf, ZeroActsThroughTheHeadsOwnColumnsAlone) {
  SweepCase sweep(GetParam().config, kSamples);
  const SweepOptions options{
      .methods = {AblationMethod::zero}, .only_methods = {}, .samples = kSamples, .batch = kSamples};
  const int64_t last = sweep.data.config.layers - 1;
  for (const int64_t layer : {int64_t{0}, last}) {
    const int64_t head = sweep.data.config.heads - 2;
    const Condition alone{layer, AblationMethod::zero, AblationExtent::alone, head};
    const ScoreTable before = sweep.sweep(options);
    const std::vector<float> parameters = sweep.data.parameters;
    sweep.set_output_weights(layer, head, 0.0f);
    const SampleScores without = sweep.intact();
    EXPECT_EQ(before.of(alone), without) << "layer " << layer;
    EXPECT_NE(before.intact, without) << "layer " << layer << ": the head must matter for this to say anything";
    sweep.set_output_weights(layer, head, 1.5f);
    EXPECT_EQ(sweep.sweep(options).of(alone), without) << "layer " << layer;
    sweep.data.parameters = parameters;
    sweep.model->load_parameters(parameters);
  }
}

TEST_P(HeadSweepOf, AHeadThatIsNotReadChangesNoBitByAnyMethod) {
  SweepCase sweep(GetParam().config, kSamples);
  sweep.set_output_weights(0, 1, 0.0f);
  const ScoreTable table = sweep.sweep({.only_methods = {}, .samples = kSamples, .batch = kSamples});
  for (const AblationMethod method : all_methods()) {
    EXPECT_EQ(table.of({0, method, AblationExtent::alone, 1}), table.intact) << name(method);
  }
}

TEST_P(HeadSweepOf, ParametersStayAsTheyAre) {
  const SweepCase sweep(GetParam().config, kSamples);
  sweep.sweep({.samples = kSamples, .batch = 4});
  EXPECT_EQ(sweep.model->save_parameters(), sweep.data.parameters);
}

INSTANTIATE_TEST_SUITE_P(Attention, HeadSweepOf, testing::ValuesIn(attention_cases()),
                         [](const auto& instance) { return instance.param.name; });

TEST(HeadSweep, ALayerWithoutHeadsIsItsBiasAlone) {
  SweepCase sweep(small_model("rope"), kSamples);
  const ScoreTable table =
      sweep.sweep({.methods = {AblationMethod::zero}, .only_methods = {}, .samples = kSamples, .batch = kSamples});
  for (int64_t h = 0; h < sweep.data.config.heads; ++h) sweep.set_output_weights(1, h, 0.0f);
  EXPECT_EQ(table.of({1, AblationMethod::zero, AblationExtent::whole, -1}), sweep.intact());
}

TEST(HeadSweep, AllButOneKeepsThatOne) {
  SweepCase sweep(small_model("alibi"), kSamples);
  const ScoreTable table = sweep.sweep({.methods = {AblationMethod::zero}, .samples = kSamples, .batch = kSamples});
  for (const int64_t h : {0, 2}) sweep.set_output_weights(0, h, 0.0f);
  EXPECT_EQ(table.of({0, AblationMethod::zero, AblationExtent::only, 1}), sweep.intact());
}

TEST(HeadSweep, LowPrecisionGoesOnFromALayerAsWell) {
  if (!test_backend().supports(Dtype::bf16)) GTEST_SKIP() << "this backend has no bf16";
  for (const char* encoding : {"rope", "mla(kv=6,q=8,rope=4)", "sinusoidal+alibi"}) {
    const SweepCase sweep(small_model(encoding), kSamples, Dtype::bf16);
    SweepOptions options{.samples = kSamples, .batch = 5};
    const ScoreTable incremental = sweep.sweep(options);
    options.incremental = false;
    EXPECT_EQ(incremental, sweep.sweep(options)) << encoding;
  }
}

// Below PositionFit::kLeast samples in each half nothing is known of places, so that position_off takes away what the
// encoding's tables say and nothing else. In a model of one layer that is the model without an encoding.
TEST(HeadSweep, PositionOffIsTheModelWithoutItsTables) {
  std::vector<const char*> encodings = {"rope",          "alibi", "rope(fraction=0.5)",  "kerple(log)",
                                        "rope[heads=0]", "fox",   "cable[heads=1]+rope", "selective_rope(rank=2)",
                                        "repo[heads=0]"};
  // A window and a chunk are position, too.
  if (testing_support::tested_device() == kDefaultDevice) {
    encodings.insert(encodings.end(), {"nope[window=2]", "nope[chunk=3]", "rope[window=3]"});
    encodings.insert(encodings.end(), {"shaw(max_distance=3,init=0.5)", "shaw(max_distance=3,init=0.5)+rope"});
  }
  for (const char* encoding : encodings) {
    ModelConfig config = small_model(encoding);
    config.layers = 1;
    const SweepCase with(config, 6);
    const ScoreTable table = with.sweep({.methods = {AblationMethod::position_off}, .samples = 6, .batch = 6});
    config.encoding = "nope";
    SweepCase without(config, 6);
    for (const Parameter& entry : without.data.layout.entries()) {
      const Parameter& same = with.data.layout.find(entry.name);
      std::copy_n(with.data.parameters.begin() + same.offset, same.size,
                  without.data.parameters.begin() + entry.offset);
    }
    without.model->load_parameters(without.data.parameters);
    EXPECT_EQ(table.of({0, AblationMethod::position_off, AblationExtent::whole, -1}), without.intact()) << encoding;
    EXPECT_NE(table.intact, without.intact()) << encoding;
  }
}

// A factor by the query's position becomes its mean over the sequence: (n - 1) / 2 is the mean position.
TEST(HeadSweep, PositionOffLeavesRowsTheirMeanFactor) {
  if (testing_support::tested_device() != kDefaultDevice) GTEST_SKIP() << "this backend has no row scales";
  const auto scores = [](const char* encoding) {
    ModelConfig config = small_model(encoding);
    config.layers = 1;
    const SweepCase sweep(config, 6);
    return sweep.sweep({.methods = {AblationMethod::position_off}, .samples = 6, .batch = 6});
  };
  const Condition off{0, AblationMethod::position_off, AblationExtent::whole, -1};
  const ScoreTable by_position = scores("scale(\"1+i/8\")");
  const ScoreTable by_mean = scores("scale(\"1+(n-1)/16\")");
  EXPECT_EQ(by_position.of(off), by_mean.intact);
  EXPECT_NE(by_position.intact, by_mean.intact);
  EXPECT_EQ(by_mean.of(off), by_mean.intact) << "a factor by length is no position";
  EXPECT_EQ(scores("scale(\"1+i/8\")+alibi").of(off), by_mean.intact);
  EXPECT_EQ(scores("scale(\"(1+i/8)*n\")").of(off), scores("scale(\"(1+(n-1)/16)*n\")").intact);
  EXPECT_NE(scores("scale(\"1+i/8\")[heads=1]").of(off), by_mean.intact);
}

// The other model's numbers where both have a tensor of that name.
void take_numbers(SweepCase& to, const SweepCase& from) {
  for (const Parameter& entry : to.data.layout.entries()) {
    for (const Parameter& same : from.data.layout.entries()) {
      if (same.name != entry.name) continue;
      std::copy_n(from.data.parameters.begin() + same.offset, same.size, to.data.parameters.begin() + entry.offset);
    }
  }
  to.model->load_parameters(to.data.parameters);
}

// Gates that read nothing are a bias of distance, and so they are whatever is ablated: bit for bit, since multiples of
// one step are exact in double.
TEST(HeadSweep, ConstantGatesAreABiasForEveryMethod) {
  SweepCase gated(small_model("fox"), 6);
  for (const Parameter& entry : gated.data.layout.entries()) {
    if (entry.name.ends_with(".fox.weight"))
      std::fill_n(gated.data.parameters.begin() + entry.offset, entry.size, 0.0f);
    if (entry.name.ends_with(".fox.bias")) std::fill_n(gated.data.parameters.begin() + entry.offset, entry.size, 1.5f);
  }
  gated.model->load_parameters(gated.data.parameters);
  gated.intact();
  const View<double, 2>& prefix = gated.model->activations().layers[0].prefix;
  const double step = -download(gated.model->backend(), prefix.data(), 1).front();
  ASSERT_GT(step, 0.0);
  SweepCase biased(small_model(fmt::format("bias(\"-a*abs(d)\",a={:.17g})", step).c_str()), 6);
  take_numbers(biased, gated);
  const SweepOptions options{
      .methods = {AblationMethod::position_off, AblationMethod::position_shuffled, AblationMethod::content_off},
      .samples = 6,
      .batch = 6};
  const ScoreTable expected = biased.sweep(options), got = gated.sweep(options);
  EXPECT_EQ(got.intact, expected.intact);
  for (size_t c = 0; c < got.conditions.size(); ++c) {
    EXPECT_EQ(got.scores[c], expected.scores[c]) << text(got.conditions[c]);
  }
  for (const AblationMethod method : options.methods) {
    EXPECT_NE(got.of({0, method, AblationExtent::whole, -1}), got.intact) << "nothing was ablated";
  }
}

// A sink is no position: it stays.
TEST(HeadSweep, WithoutPositionThereIsNothingToTakeAway) {
  for (const std::string encoding : {"nope", "sink(start=1)"}) {
    if (encoding != "nope" && testing_support::tested_device() != kDefaultDevice) continue;
    const SweepCase sweep(small_model(encoding.c_str()), 6);
    const ScoreTable table = sweep.sweep(
        {.methods = {AblationMethod::position_off, AblationMethod::position_shuffled}, .samples = 6, .batch = 6});
    for (size_t c = 0; c < table.conditions.size(); ++c) {
      EXPECT_EQ(table.scores[c], table.intact) << encoding << " " << text(table.conditions[c]);
    }
  }
}

// With so few samples queries and keys are left with one mean for all: where nothing else tells tokens apart, attention
// is even, as it is with queries of zero.
TEST(HeadSweep, WithContentOffAndNoPositionAttentionIsEven) {
  ModelConfig config = small_model("nope");
  config.layers = 1;
  SweepCase sweep(config, 6);
  const ScoreTable table = sweep.sweep({.methods = {AblationMethod::content_off}, .samples = 6, .batch = 6});
  const LinearSlot& query = sweep.data.layout.layers[0].query;
  std::fill_n(sweep.data.parameters.begin() + query.weight, query.out * query.in, 0.0f);
  std::fill_n(sweep.data.parameters.begin() + query.bias, query.out, 0.0f);
  sweep.model->load_parameters(sweep.data.parameters);
  EXPECT_EQ(table.of({0, AblationMethod::content_off, AblationExtent::whole, -1}), sweep.intact());
  EXPECT_NE(table.intact, sweep.intact());
}

TEST(HeadSweep, MeansOfEqualSamplesAreTheSamples) {
  SweepCase sweep(small_model("rope"), 12);
  Dataset equal;
  const std::span<const int32_t> tokens = sweep.samples.tokens(0);
  const std::span<const int32_t> targets = sweep.samples.targets(0);
  for (int i = 0; i < 12; ++i) equal.append({{tokens.begin(), tokens.end()}, {targets.begin(), targets.end()}, -1});
  HeadSweep heads(*sweep.model, equal,
                  {.methods = {AblationMethod::position_mean, AblationMethod::resample}, .samples = 12, .batch = 12});
  heads.run();
  const ScoreTable& table = heads.table();
  for (size_t c = 0; c < table.conditions.size(); ++c) {
    // Sums of 12 equal numbers in double, divided by 11 after one is taken away, round to the same float but for the
    // last bit; a loss of some units moves by as little.
    for (size_t i = 0; i < 12; ++i) {
      EXPECT_NEAR(table.scores[c].loss[i], table.intact.loss[i], 2e-5) << text(table.conditions[c]);
    }
  }
}

TEST(HeadSweep, StoppedAnywhereAndGoneOnItIsTheSame) {
  const SweepCase sweep(small_model("rope"), kSamples);
  const SweepOptions options{.samples = kSamples, .batch = 4, .draws = 2};
  const ScoreTable whole = sweep.sweep(options);
  for (const int stop : {1, 3, 60, 150, 300}) {
    HeadSweep first(*sweep.model, sweep.samples, options);
    int calls = 0;
    ScoreTable saved(whole.layers, whole.heads, whole.samples, whole.conditions);
    const bool finished = first.run([&](double) { return ++calls < stop; }, [&](const ScoreTable& t) { saved = t; });
    EXPECT_FALSE(finished);
    HeadSweep second(*sweep.model, sweep.samples, options);
    ASSERT_TRUE(second.go_on_with(saved));
    EXPECT_TRUE(second.run());
    EXPECT_EQ(second.table(), whole) << stop;
  }
}

TEST(HeadSweep, ProgressRisesToOne) {
  const SweepCase sweep(small_model("rope"), kSamples);
  HeadSweep heads(*sweep.model, sweep.samples, {.samples = kSamples, .batch = 4});
  double last = 0.0;
  heads.run([&](double share) {
    EXPECT_GT(share, last);
    last = share;
    return true;
  });
  EXPECT_DOUBLE_EQ(last, 1.0);
}

TEST(HeadSweep, AForeignTableIsNotTakenOver) {
  const SweepCase sweep(small_model("rope"), kSamples);
  const ScoreTable table = sweep.sweep({.methods = {AblationMethod::zero}, .samples = kSamples, .batch = 4});
  HeadSweep other(*sweep.model, sweep.samples, {.methods = {AblationMethod::mean}, .samples = kSamples, .batch = 4});
  EXPECT_FALSE(other.go_on_with(table));
  HeadSweep fewer(*sweep.model, sweep.samples, {.methods = {AblationMethod::zero}, .samples = 8, .batch = 4});
  EXPECT_FALSE(fewer.go_on_with(table));
}

TEST(HeadSweep, AnEmptySetIsAnError) {
  const SweepCase sweep(small_model("rope"), kSamples);
  const Dataset empty;
  EXPECT_THROW(HeadSweep(*sweep.model, empty, {}), UsageError);
}

TEST(ScoreTable, ComesBackFromItsFile) {
  const SweepCase sweep(small_model("mla(kv=6,q=8,rope=4)"), kSamples);
  const ScoreTable table = sweep.sweep({.samples = kSamples, .batch = 4});
  const std::filesystem::path path = testing::TempDir() + "phasor_scores.safetensors";
  save_scores({"a plan", table, "{}"}, path);
  const StoredScores stored = load_scores(path);
  EXPECT_EQ(stored.plan, "a plan");
  EXPECT_EQ(stored.described, "{}");
  EXPECT_EQ(stored.table, table);
  std::filesystem::remove(path);
}

}  // namespace head_sweep_test
}  // namespace phasor
