// The same model, batch and training in PyTorch: logits, loss, gradients, ten AdamW steps.
#include <gtest/gtest.h>

#include "model/fixture.h"
#include "model/plain_error.h"
#include "model/thread_guard.h"
#include "phasor/train/optimizer.h"
#include "support/backend.h"

namespace phasor {
namespace {

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
    std::vector<double> all;
    for (const Parameter& entry : data_.layout.entries()) {
      const std::vector<double> values = fixture_.values("gradient/" + entry.name);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

  // After training. An update is lr m / (sqrt(v) + epsilon) with m and sqrt(v) of the size of the gradient, so an
  // error d of the gradient changes each of both by a share d / |g|. It cannot change an update by more than 2 lr.
  std::vector<double> trained_bounds(const Parameter& entry, double gradient_bound) const {
    const std::string tensor = "trained/" + entry.name;
    const double own = error_bound(kGradientFactor, fixture_.torch_error(tensor), largest_of(fixture_.values(tensor)));
    const double way = static_cast<double>(fixture_.steps()) * fixture_.training().learning_rate;
    std::vector<double> bounds;
    for (const double g : fixture_.values("gradient/" + entry.name)) {
      bounds.push_back(own + 2.0 * way * std::min(1.0, gradient_bound / std::abs(g)));
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

INSTANTIATE_TEST_SUITE_P(Fixtures, Parity,
                         testing::Values("nope", "sinusoidal", "learned", "alibi", "rope", "rope_causal_gelu",
                                         "alibi_rms", "rope_grouped"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace phasor
