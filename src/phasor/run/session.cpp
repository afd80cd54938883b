#include "phasor/run/session.h"

#include "phasor/base/cancellation.h"

namespace phasor {

Session::Session(Backend& backend, const RunConfig& config, const SessionOptions& options)
    : config_(config), task_(make_task(config.task, config.task_values)) {
  if (options.data) {
    make_data();
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

void Session::make_data() {
  const DataConfig& data = config_.data;
  const SampleRules& rules = config_.switches.samples;
  SplitSizes sizes{.train = data.train_samples, .test = data.test_samples, .validation = data.validation_samples};
  if (data.source == DataSource::fixed) {
    split_ = std::make_unique<Split>(make_split(*task_, data.seed, sizes, rules));
    order_.emplace(data.seed, data.train_samples);
    return;
  }
  sizes.train = 0;
  split_ = std::make_unique<Split>(make_split(*task_, data.seed, sizes, rules));
  stream_.emplace(*task_, data.seed, *split_, rules);
  for (int64_t i = 0; i < data.train_samples; ++i) {
    stop_if_cancelled();
    split_->train.append(stream_->sample(i));
  }
}

const Batch& Session::training_batch(int64_t step) {
  batch_.clear();
  const int64_t first = config_.start.samples + (step - 1) * config_.train.batch;
  for (int64_t i = first; i < first + config_.train.batch; ++i) {
    if (stream_) {
      batch_.append(stream_->sample(i));
    } else {
      split_->train.append_to(batch_, order_->sample(i));
    }
  }
  batch_.finish();
  return batch_;
}

}  // namespace phasor
