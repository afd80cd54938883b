#include "phasor/train/optimizer.h"

namespace phasor {

Optimizer::Optimizer(Backend& backend, const Transformer& model, const TrainConfig& config)
    : backend_(backend), config_(config) {
  const auto carve = [&](Arena& arena) {
    first_moment_ = arena.view<float>(model.parameters().size());
    second_moment_ = arena.view<float>(model.parameters().size());
    norm_ = arena.view<float>(1);
    numbers_ = arena.view<Numbers>(1);
  };
  Arena measure;
  carve(measure);
  arena_ = Arena(backend, measure.used());
  carve(arena_);
}

double Optimizer::update(Transformer& model, int64_t step, double learning_rate) {
  load(step, learning_rate);
  run(model, norm_);
  float norm = 0.0f;
  backend_.copy_out(&norm, norm_.data(), sizeof(norm));
  return static_cast<double>(norm);
}

void Optimizer::load(int64_t step, double learning_rate) {
  const Numbers numbers{.learning_rate = static_cast<float>(learning_rate), .step = static_cast<uint32_t>(step)};
  backend_.copy_in(numbers_.data(), &numbers, sizeof(numbers));
}

void Optimizer::run(Transformer& model, const View<float, 1>& norms) {
  const uint32_t* step = &numbers_.data()->step;
  backend_.run(GradientNorm{.norm = norms, .gradient = model.gradients(), .slot = step});
  backend_.run(AdamW{.parameter = model.parameters(),
                     .first_moment = first_moment_,
                     .second_moment = second_moment_,
                     .gradient = model.gradients(),
                     .gradient_norm = norms,
                     .learning_rate = &numbers_.data()->learning_rate,
                     .step = step,
                     .beta1 = static_cast<float>(config_.beta1),
                     .beta2 = static_cast<float>(config_.beta2),
                     .epsilon = static_cast<float>(config_.epsilon),
                     .weight_decay = static_cast<float>(config_.weight_decay),
                     .max_norm = static_cast<float>(config_.clip)});
  model.keep_bounds();
  model.parameters_changed();
}

}  // namespace phasor
