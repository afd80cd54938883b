#include "phasor/train/optimizer.h"

namespace phasor {

Optimizer::Optimizer(Backend& backend, const Transformer& model, const TrainConfig& config)
    : backend_(backend), config_(config) {
  const auto carve = [&](Arena& arena) {
    first_moment_ = arena.view<float>(model.parameters().size());
    second_moment_ = arena.view<float>(model.parameters().size());
    learning_rate_ = arena.view<float>(1);
    norm_ = arena.view<float>(1);
    step_ = arena.view<uint32_t>(1);
  };
  Arena measure;
  carve(measure);
  arena_ = Arena(backend, measure.used());
  carve(arena_);
}

double Optimizer::update(Transformer& model, int64_t step, double learning_rate) {
  const auto rate = static_cast<float>(learning_rate);
  const auto number = static_cast<uint32_t>(step);
  backend_.copy_in(learning_rate_.data(), &rate, sizeof(rate));
  backend_.copy_in(step_.data(), &number, sizeof(number));
  backend_.run(GradientNorm{.norm = norm_, .gradient = model.gradients()});
  backend_.run(AdamW{.parameter = model.parameters(),
                     .first_moment = first_moment_,
                     .second_moment = second_moment_,
                     .gradient = model.gradients(),
                     .gradient_norm = norm_,
                     .learning_rate = learning_rate_.data(),
                     .step = step_.data(),
                     .beta1 = static_cast<float>(config_.beta1),
                     .beta2 = static_cast<float>(config_.beta2),
                     .epsilon = static_cast<float>(config_.epsilon),
                     .weight_decay = static_cast<float>(config_.weight_decay),
                     .max_norm = static_cast<float>(config_.clip)});
  model.keep_bounds();
  model.parameters_changed();
  float norm = 0.0f;
  backend_.copy_out(&norm, norm_.data(), sizeof(norm));
  return static_cast<double>(norm);
}

}  // namespace phasor
