// Seeds are gradients by a bias that is not there: held against the double-precision model that has one.
#include "phasor/spectrum/head_seed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <numeric>

#include "model/model_case.h"
#include "model/plain_error.h"
#include "model/thread_guard.h"
#include "phasor/model/distance_probe.h"
#include "support/backend.h"

namespace phasor {
namespace head_seed_test {

using namespace testing_support;

const std::vector<int32_t> kLengths = {5, 1, 8, 3};
constexpr uint64_t kSeed = 47;

std::vector<ModelCase> cases() {
  std::vector<ModelCase> all;
  const auto add = [&](const char* name, const char* encoding) -> ModelConfig& {
    all.push_back({name, small_model(encoding)});
    return all.back().config;
  };
  add("nope", "nope");
  add("sinusoidal", "sinusoidal");
  add("rope", "rope");
  add("rope_causal", "rope").causal = true;
  add("mla", "mla");
  add("fixed_bias", "alibi");
  add("learned_bias_of_all_layers", "t5(buckets=8,max_distance=6)");
  add("learned_bias_of_one_layer", "alibi(slopes=learned)[layers=1]");
  add("bias_by_query", "bias(\"a*tanh(d/(1+i))\",a=learned(1,per=head))");
  add("bias_by_length", "bias(\"-a*abs(d)/n+sin(h+l)\",a=learned(2))");
  add("read_every", "rope").readout = Readout::every;
  ModelConfig& grouped = add("grouped", "rope");
  grouped.heads = 4;
  grouped.kv_heads = 2;
  grouped.head_width = 6;
  add("dropout_is_off", "rope").dropout = 0.3;
  return all;
}

class HeadSeedTest : public testing::TestWithParam<ModelCase> {
 protected:
  const ThreadGuard one_thread_{1};
  ModelData data_{GetParam().config, kLengths, kSeed};
  Transformer model_{test_backend(), data_.config, data_.encoding, options_for(data_.batch, Dtype::f32)};

  void SetUp() override { model_.load_parameters(data_.parameters); }

  std::vector<float> gradients() const {
    std::vector<float> values(data_.parameters.size());
    test_backend().copy_out(values.data(), model_.gradients().data(), values.size() * sizeof(float));
    return values;
  }
};

TEST_P(HeadSeedTest, IsTheGradientByAZeroTable) {
  ModelConfig config = data_.config;
  config.dropout = 0.0;
  config.encoding = config.encoding == "nope" ? "relative" : config.encoding + "+relative";
  ModelData probed(config);
  probed.batch = data_.batch;
  probed.parameters.resize(static_cast<size_t>(probed.layout.size()));
  std::vector<const Parameter*> tables(static_cast<size_t>(config.layers));
  for (const Parameter& entry : probed.layout.entries()) {
    bool known = false;
    for (const Parameter& old : data_.layout.entries()) known = known || old.name == entry.name;
    if (known) {
      const Parameter& old = data_.layout.find(entry.name);
      ASSERT_EQ(old.shape, entry.shape) << entry.name;
      std::copy_n(data_.parameters.begin() + old.offset, old.size, probed.parameters.begin() + entry.offset);
      continue;
    }
    ASSERT_EQ(entry.shape, (std::vector<int64_t>{config.heads, 2 * config.max_length - 1})) << entry.name;
    tables[static_cast<size_t>(std::stoll(entry.name.substr(entry.name.find('.') + 1)))] = &entry;
  }
  const ModelNumbers truth = differentiate<double>(probed);
  const std::vector<double> bounds = gradient_bounds(probed, plain_errors<Dtype::f32>(probed), truth.gradients);

  const ModelSeeds seeds = measure_seeds(model_, data_.batch);
  EXPECT_NEAR(seeds.loss, truth.loss, 1e-5 * truth.loss);
  ASSERT_EQ(static_cast<int64_t>(seeds.layers.size()), config.layers);
  const int64_t columns = 2 * config.max_length - 1;
  for (int64_t l = 0; l < config.layers; ++l) {
    const LayerSeeds& layer = seeds.layers[static_cast<size_t>(l)];
    const Parameter* table = tables[static_cast<size_t>(l)];
    ASSERT_NE(table, nullptr);
    const auto entry = static_cast<size_t>(table - probed.layout.entries().data());
    ASSERT_EQ(layer.reach, config.max_length - 1);
    for (int64_t h = 0; h < config.heads; ++h) {
      const HeadSeed& head = layer.heads[static_cast<size_t>(h)];
      const auto row = piece(truth.gradients, *table).subspan(static_cast<size_t>(h * columns), columns);
      EXPECT_TRUE(near_enough({"seed", GetParam().name}, head.by_distance, row, bounds[entry])) << l << " " << h;
      const double norm = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
      EXPECT_NEAR(head.seed, norm, std::sqrt(static_cast<double>(columns)) * bounds[entry]);
      EXPECT_GT(norm, 100.0 * bounds[entry]) << "there is nothing to be seen";
      // Softmax ignores a constant, and so the gradient has no part along it.
      EXPECT_NEAR(std::accumulate(head.by_distance.begin(), head.by_distance.end(), 0.0), 0.0,
                  static_cast<double>(columns) * bounds[entry]);
    }
  }
}

// By central differences of the reference in double: the queries of one head, at one place, turned a little further.
TEST_P(HeadSeedTest, ThroughThePhasesIsTheGradientByAngles) {
  const ModelSeeds seeds = measure_seeds(model_, data_.batch);
  DistanceProbe probe(model_);
  model_.loss_gradient(data_.batch, &probe);
  constexpr double kStep = 1e-4;
  const int64_t layer = 1, head = 1;
  const Rotation* rotation = data_.encoding.layers[1].rotation[1].get();
  const std::vector<double> phases = probe.phase_gradient(layer, head);
  const HeadSeed& seed = seeds.layers[1].heads[1];
  EXPECT_EQ(phases.empty(), rotation == nullptr);
  EXPECT_EQ(seed.phase_seed.has_value(), rotation != nullptr);
  if (rotation == nullptr) return;
  const int64_t pairs = rotation->pairs;
  ASSERT_EQ(std::ssize(phases), 8 * pairs) << "the longest sequence has eight tokens";
  double squares = 0.0;
  for (const double value : phases) squares += value * value;
  EXPECT_NEAR(*seed.phase_seed, std::sqrt(squares), 1e-9 + 1e-6 * std::sqrt(squares));
  for (const int64_t place : {0, 2, 7}) {
    for (const int64_t pair : {int64_t{0}, pairs - 1}) {
      const auto loss = [&](double angle) {
        ModelData turned = data_;
        turned.config.dropout = 0.0;
        Rotation changed = *rotation;
        changed.query[static_cast<size_t>(place * pairs + pair)] *= std::polar(1.0, angle);
        turned.encoding.layers[1].rotation[1] = std::make_shared<const Rotation>(changed);
        return differentiate<double>(turned).loss;
      };
      const double expected = (loss(kStep) - loss(-kStep)) / (2.0 * kStep);
      EXPECT_NEAR(phases[static_cast<size_t>(place * pairs + pair)], expected, 1e-5 + 1e-3 * std::abs(expected))
          << place << " " << pair;
    }
  }
}

// A probe adds nothing to the gradients, nor takes from them; without it the pass is that of training.
TEST_P(HeadSeedTest, LeavesTheGradientsAlone) {
  model_.loss_gradient(data_.batch);
  const std::vector<float> plain = gradients();
  DistanceProbe probe(model_);
  model_.loss_gradient(data_.batch, &probe);
  const std::vector<float> probed = gradients();
  // A learned table's gradient is added to twice in place of once: a rounding apart.
  for (const Parameter& entry : data_.layout.entries()) {
    const bool table = entry.name.find("encoding.") != std::string::npos;
    for (int64_t i = entry.offset; i < entry.offset + entry.size; ++i) {
      const auto place = static_cast<size_t>(i);
      if (table) {
        EXPECT_NEAR(probed[place], plain[place], 1e-6 + 1e-5 * std::abs(plain[place])) << entry.name;
      } else {
        ASSERT_EQ(probed[place], plain[place]) << entry.name;
      }
    }
  }
  const std::vector<double> once = probe.gradient(0, 0);
  model_.loss_gradient(data_.batch, &probe);
  EXPECT_EQ(probe.gradient(0, 0), once) << "a probe starts from zero each time";
  if (data_.config.dropout > 0.0) return;
  model_.forward_backward(data_.batch, 3);
  EXPECT_EQ(gradients(), plain);
}

// Norms of named rows and columns.
TEST_P(HeadSeedTest, GradientNormsAreThoseOfTheHeadsWeights) {
  const HeadGradients norms = measure_seeds(model_, data_.batch).gradients;
  const std::vector<float> flat = gradients();
  const ModelConfig& config = data_.config;
  double all = 0.0;
  for (const float value : flat) all += double{value} * double{value};
  EXPECT_NEAR(norms.model, std::sqrt(all), 1e-12 * std::sqrt(all));
  for (int64_t l = 0; l < config.layers; ++l) {
    const std::string name = "layers." + std::to_string(l) + ".attention.";
    const bool latent = data_.encoding.layers[static_cast<size_t>(l)].decoupled.has_value();
    double layer = 0.0;
    for (const Parameter& entry : data_.layout.entries()) {
      if (entry.name.rfind("layers." + std::to_string(l) + ".", 0) != 0) continue;
      for (int64_t i = 0; i < entry.size; ++i) layer += std::pow(flat[static_cast<size_t>(entry.offset + i)], 2.0);
    }
    EXPECT_NEAR(norms.layers[static_cast<size_t>(l)], std::sqrt(layer), 1e-12 * std::sqrt(layer));
    for (int64_t h = 0; h < config.heads; ++h) {
      double sum = 0.0;
      const auto add = [&](const std::string& tensor, bool rows) {
        const Parameter& entry = data_.layout.find(tensor);
        const int64_t whole = rows ? entry.shape[0] : entry.shape[1];
        const int64_t part = whole / config.heads;
        for (int64_t i = 0; i < entry.size; ++i) {
          const int64_t place = rows ? i / entry.shape[1] : i % entry.shape[1];
          if (place / part == h) sum += std::pow(flat[static_cast<size_t>(entry.offset + i)], 2.0);
        }
      };
      add(name + (latent ? "query_up.weight" : "query.weight"), true);
      if (config.kv_heads == config.heads) {
        add(name + (latent ? "key_up.weight" : "key.weight"), true);
        add(name + (latent ? "value_up.weight" : "value.weight"), true);
      }
      add(name + "output.weight", false);
      EXPECT_NEAR(norms.heads[static_cast<size_t>(l)][static_cast<size_t>(h)], std::sqrt(sum), 1e-12 * std::sqrt(sum));
      EXPECT_LT(sum, layer);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, HeadSeedTest, testing::ValuesIn(cases()),
                         [](const auto& tested) { return tested.param.name; });

LayerSeeds layer_of(const std::vector<double>& seeds) {
  LayerSeeds layer;
  for (const double seed : seeds) layer.heads.push_back({.seed = seed});
  return layer;
}

TEST(HeadMargins, AreFirstMinusSecond) {
  std::vector<LayerSeeds> layers = {layer_of({1.0, 5.0, 3.0}), layer_of({4.0, 2.0, 3.5}), layer_of({2.0, 2.0, 1.0}),
                                    layer_of({7.0})};
  compare_heads(layers);
  EXPECT_EQ(layers[0].margin, 2.0);
  EXPECT_EQ(layers[0].first, 1);
  EXPECT_EQ(layers[1].margin, 0.5);
  EXPECT_EQ(layers[1].first, 0);
  EXPECT_EQ(layers[2].margin, 0.0);
  EXPECT_EQ(layers[2].first, 0) << "the lower one of equals";
  EXPECT_EQ(layers[3].margin, 0.0) << "one head has no second";
  ASSERT_TRUE(layers[0].gamma);
  EXPECT_EQ(*layers[0].gamma, 4.0);
  EXPECT_FALSE(layers[1].gamma) << "the next margin is 0";
  EXPECT_FALSE(layers[3].gamma) << "the last layer";
}

TEST(HeadSeeds, DoNotDependOnTheNumberOfThreads) {
  const ModelData data(small_model("rope"), {9, 10, 7, 8, 10, 3, 6, 10}, kSeed);
  std::vector<std::vector<double>> seeds;
  for (const int threads : {1, 2, 4}) {
    const ThreadGuard guard(threads);
    Transformer model(test_backend(), data.config, data.encoding, options_for(data.batch, Dtype::f32));
    model.load_parameters(data.parameters);
    seeds.push_back(measure_seeds(model, data.batch).layers[0].heads[1].by_distance);
  }
  EXPECT_EQ(seeds[1], seeds[0]);
  EXPECT_EQ(seeds[2], seeds[0]);
}

}  // namespace head_seed_test
}  // namespace phasor
