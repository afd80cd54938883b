#include "phasor/run/config_complete.h"

#include <limits>
#include <utility>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"

namespace phasor {
namespace {

constexpr int64_t kMostIndices = std::numeric_limits<int32_t>::max();  // token offsets and sample numbers are 32-bit

void check_training(const TrainConfig& train, int64_t max_length) {
  if (train.batch > kMostIndices / max_length) {
    fail_usage("train.batch: {} sequences of up to {} tokens are too many for one batch; at most {}", train.batch,
               max_length, kMostIndices / max_length);
  }
  for (const int64_t step : train.snapshots) {
    if (step > train.steps) {
      fail_usage("train.snapshots: step {} is after the last one; train.steps={}", step, train.steps);
    }
  }
}

void check_data(const DataConfig& data, const TrainConfig& train) {
  if (data.test_samples > kMostIndices - data.validation_samples ||
      data.train_samples > kMostIndices - data.test_samples - data.validation_samples) {
    fail_usage("data.train: {}, data.test={} and data.validation={} are more than {} samples together",
               data.train_samples, data.test_samples, data.validation_samples, kMostIndices);
  }
  if (train.evaluation_samples > data.train_samples) {
    fail_usage("train.evaluation_samples: {} is more than data.train={}; at most {}", train.evaluation_samples,
               data.train_samples, data.train_samples);
  }
  if (train.evaluation_tests > data.test_samples) {
    fail_usage("train.evaluation_tests: {} is more than data.test={}; at most {}", train.evaluation_tests,
               data.test_samples, data.test_samples);
  }
}

}  // namespace

RunConfig complete(RunConfig config) {
  const TaskShape shape = config.switches.samples.apply(make_task(config.task, config.task_values)->shape());
  config.model.readout = shape.readout;
  config.model.answer = shape.answer;
  config.model.vocabulary = shape.vocabulary;
  config.model.classes = shape.classes;
  config.model.max_length = shape.max_length;
  config.model.grid = shape.grid;
  config.model.words = shape.words;
  config.model.encoding = print(parse_encoding(config.model.encoding));
  config.model = complete(std::move(config.model));
  if (shape.causal && !config.model.causal) {
    fail_usage(
        "model.causal: task {} answers from what stands before, so the model must be causal; set "
        "model.causal=true",
        config.task);
  }
  check_training(config.train, shape.max_length);
  check_data(config.data, config.train);
  return config;
}

}  // namespace phasor
