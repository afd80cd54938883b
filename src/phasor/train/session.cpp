#include "phasor/train/session.h"

namespace phasor {

Session::Session(Backend& backend, const RunConfig& config, const SessionOptions& options)
    : config_(config), task_(make_task(config.task, config.task_values)) {
  if (options.data) {
    split_ = make_split(*task_, config.data.seed, config.data.train_samples, config.data.test_samples);
    order_.emplace(config.data.seed, config.data.train_samples);
  }
  const TransformerOptions model_options{
      .capacity = {.tokens = config.train.batch * config.model.max_length, .sequences = config.train.batch},
      .precision = config.train.precision,
      .training = options.training,
      .dropout_seed = config.seed,
      .position_seed = config.seed};
  model_.emplace(backend, config.model, resolve_encoding(config.model), model_options);
  model_->load_parameters(model_->layout().initial_values(config.seed));
}

const Batch& Session::training_batch(int64_t step) {
  batch_.clear();
  const int64_t first = (step - 1) * config_.train.batch;
  for (int64_t i = 0; i < config_.train.batch; ++i) split_->train.append_to(batch_, order_->sample(first + i));
  batch_.finish();
  return batch_;
}

}  // namespace phasor
