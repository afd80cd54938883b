// The same model, batch and training in PyTorch: logits, loss, gradients, ten AdamW steps.
#include <gtest/gtest.h>

#include <algorithm>

#include "model/fixture.h"
#include "model/plain_error.h"
#include "model/thread_guard.h"
#include "phasor/train/optimizer.h"
#include "support/backend.h"

namespace phasor {
namespace parity_test {

using namespace testing_support;

class Parity : public testing::TestWithParam<std::string> {
 protected:
  Tensor named(const char* family, const std::string& tensor) const { return {family, GetParam() + " " + tensor}; }

  std::vector<double> read(const View<float, 1>& values, const Parameter& entry) const {
    std::vector<float> piece(static_cast<size_t>(entry.size));
    test_backend().copy_out(piece.data(), values.data() + entry.offset, piece.size() * sizeof(float));
    return {piece.begin(), piece.end()};
  }

  // What plain fp32 is off by: in PyTorch, or in the plain model where that was less lucky.
  PlainErrors plain() const {
    PlainErrors errors = plain_errors<Dtype::f32>(data_);
    errors.logits = std::max(errors.logits, fixture_.torch_error("logits"));
    for (size_t e = 0; e < errors.gradients.size(); ++e) {
      const std::string tensor = "gradient/" + data_.layout.entries()[e].name;
      errors.gradients[e] = std::max(errors.gradients[e], fixture_.torch_error(tensor));
    }
    return errors;
  }

  std::vector<double> true_gradients() const {
    std::vector<double> all(static_cast<size_t>(data_.layout.size()));
    for (const Parameter& entry : data_.layout.entries()) {
      const std::vector<double> values = fixture_.values("gradient/" + entry.name);
      std::copy(values.begin(), values.end(), all.begin() + entry.offset);
    }
    return all;
  }

  // After training. An update is lr m / (sqrt(v) + epsilon) with m and sqrt(v) of the size of the gradient, so an
  // error d of the gradient changes each of both by a share d / |g|. Nor can two updates be more than 2.1 lr apart:
  // with weights a and b of the gradients in m and v, |m| <= sqrt(sum a^2 / b) sqrt(v), and the root is at most 1.03
  // for ten steps, with betas 0.9 and 0.98 as with 0.98 and 0.9.
  std::vector<double> trained_bounds(const Parameter& entry, double gradient_bound) const {
    const std::string tensor = "trained/" + entry.name;
    const double own = error_bound(kGradientFactor, fixture_.torch_error(tensor), largest_of(fixture_.values(tensor)));
    const double way = static_cast<double>(fixture_.steps()) * fixture_.training().learning_rate;
    std::vector<double> bounds;
    for (const double g : fixture_.values("gradient/" + entry.name)) {
      bounds.push_back(own + 2.1 * way * std::min(1.0, gradient_bound / std::abs(g)));
    }
    return bounds;
  }

  const ThreadGuard one_thread_{1};
  Fixture fixture_{GetParam()};
  const ModelData& data_ = fixture_.data();
  Transformer model_{test_backend(), data_.config, data_.encoding, options_for(data_.batch, Dtype::f32)};
};

TEST_P(Parity, ParametersHaveTheSameNames) { EXPECT_EQ(fixture_.unknown_parameters(), std::set<std::string>()); }

TEST_P(Parity, LogitsAndLoss) {
  model_.load_parameters(data_.parameters);
  model_.forward(data_.batch);
  const std::vector<float> got = model_.class_logits(data_.batch.sequence_count());
  const std::vector<double> logits = fixture_.values("logits");
  const double bound = error_bound(kValueFactor, plain().logits, largest_of(logits));
  EXPECT_TRUE(
      near_enough(named("parity logits", "logits"), std::vector<double>(got.begin(), got.end()), logits, bound));
  const BatchResult result = model_.evaluate(data_.batch);
  const std::vector<double> loss = fixture_.values("loss");
  // A loss is a difference of logits: at most twice their error.
  EXPECT_TRUE(near_enough(named("parity loss", "loss"),
                          std::vector<double>{result.loss / static_cast<double>(result.scored)}, loss, 2.0 * bound));
}

TEST_P(Parity, Gradients) {
  model_.load_parameters(data_.parameters);
  model_.forward_backward(data_.batch, 1);
  const std::vector<double> truth = true_gradients();
  const std::vector<double> bounds = gradient_bounds(data_, plain(), truth);
  for (size_t e = 0; e < bounds.size(); ++e) {
    const Parameter& entry = data_.layout.entries()[e];
    EXPECT_TRUE(near_enough(named("parity gradient", entry.name), read(model_.gradients(), entry), piece(truth, entry),
                            bounds[e]));
  }
}

TEST_P(Parity, TenStepsOfAdamW) {
  const TrainConfig training = fixture_.training();
  Optimizer optimizer(test_backend(), model_, training);
  model_.load_parameters(data_.parameters);
  std::vector<double> losses;
  for (int64_t step = 0; step <= fixture_.steps(); ++step) {
    const BatchResult result = model_.forward_backward(data_.batch, static_cast<uint32_t>(step));
    losses.push_back(result.loss / static_cast<double>(result.scored));
    if (step < fixture_.steps()) optimizer.update(model_, step + 1, training.learning_rate);
  }
  const std::vector<double> true_losses = fixture_.values("losses");
  EXPECT_TRUE(near_enough(named("parity losses", "losses"), losses, true_losses,
                          error_bound(kGradientFactor, fixture_.torch_error("losses"), largest_of(true_losses))));
  EXPECT_LT(true_losses.back(), 0.9 * true_losses.front());

  const std::vector<double> bounds = gradient_bounds(data_, plain(), true_gradients());
  for (size_t e = 0; e < bounds.size(); ++e) {
    const Parameter& entry = data_.layout.entries()[e];
    const std::vector<double> truth = fixture_.values("trained/" + entry.name);
    const std::vector<double> got = read(model_.parameters(), entry);
    if (fixture_.without_gradient(entry.name)) {
      // Rounding alone moves it, by up to the learning rate at every step.
      EXPECT_LE(largest_error(got, truth), static_cast<double>(fixture_.steps()) * training.learning_rate)
          << entry.name;
    } else {
      EXPECT_TRUE(near_enough(named("parity trained", entry.name), got, truth, trained_bounds(entry, bounds[e])));
    }
  }
}

// What the fixtures are to pin: visible pads and a label that is not scored, but for mla.
TEST(ReleasedFixtures, DoWhatTheReleasedCodeDoes) {
  const auto not_scored = [](const Batch& batch) {
    return std::count(batch.targets.begin(), batch.targets.end(), kNotScored);
  };
  const Fixture rope("released_rope");
  EXPECT_EQ(rope.data().config.kv_source, KvSource::input);
  EXPECT_FALSE(rope.data().config.final_norm);
  EXPECT_EQ(rope.data().config.classes, rope.data().config.vocabulary);
  EXPECT_EQ(rope.data().batch.token_count(), rope.data().batch.sequence_count() * rope.data().config.max_length);
  EXPECT_GT(not_scored(rope.data().batch), 0);
  EXPECT_LT(not_scored(rope.data().batch), rope.data().batch.sequence_count());
  EXPECT_GT(rope.training().beta1, rope.training().beta2);
  const Fixture mla("released_mla");
  EXPECT_EQ(mla.data().config.kv_source, KvSource::hidden);
  EXPECT_TRUE(mla.data().config.final_norm);
  EXPECT_LT(mla.data().batch.token_count(), mla.data().batch.sequence_count() * mla.data().config.max_length);
  EXPECT_EQ(not_scored(mla.data().batch), 0);
}

// At the paper's sizes.
TEST(ReleasedSizes, AreThoseOfTheReleasedCode) {
  const auto size = [](const char* encoding, bool mla) {
    ModelConfig config{.layers = 6, .width = 256, .hidden = 512, .heads = 16};
    config.encoding = encoding;
    config.vocabulary = config.classes = 574;
    config.max_length = 128;
    config.final_norm = mla;
    config.kv_source = mla ? KvSource::hidden : KvSource::input;
    return ModelData(config).layout.count();
  };
  for (const char* encoding :
       {"nope", "sinusoidal", "alibi(slopes=released)", "rope[heads=0-15]", "sinusoidal(layout=halves)+rope"}) {
    EXPECT_EQ(size(encoding, false), 3'457'086) << encoding;
  }
  EXPECT_EQ(size("relative", false), 3'457'086 + 24'480);
  EXPECT_EQ(size("learned(init=1)", false), 3'457'086 + 32'768);
  EXPECT_EQ(size("learned(init=0)+mla(query=shared,table=released,norm=none)", true), 3'324'478);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, Parity,
                         testing::Values("nope", "sinusoidal", "learned", "alibi", "rope", "rope_causal_gelu",
                                         "alibi_rms", "rope_grouped", "released_nope", "released_sinusoidal",
                                         "released_random", "released_relative", "released_alibi", "released_rope",
                                         "released_partial_rope", "released_mla"),
                         [](const auto& tested) { return tested.param; });

}  // namespace parity_test
}  // namespace phasor
