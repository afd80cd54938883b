#include "phasor/run/length_evaluation.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/cancellation.h"
#include "phasor/base/error.h"

namespace phasor {
namespace {

int64_t extra_tokens(const Session& session, double factor) {
  return std::llround((factor - 1.0) * static_cast<double>(session.task().shape().max_length));
}

RunConfig longer_config(const RunConfig& trained, const Task& task) {
  RunConfig config = trained;
  SampleRules& rules = config.switches.samples;
  if (rules.padded_length > 0) {
    const int64_t pads = trained.model.max_length - make_task(trained.task, trained.task_values)->shape().max_length;
    rules.padded_length = task.shape().max_length + pads;
  }
  config.model.max_length = rules.apply(task.shape()).max_length;
  return config;
}

// A table with a row for each position ends where training did.
void check_parameters(const ParameterLayout& trained, const ParameterLayout& longer, const RunConfig& config,
                      int64_t positions) {
  for (const Parameter& entry : longer.entries()) {
    const Parameter& known = trained.find(entry.name);
    if (known.shape == entry.shape) continue;
    fail_usage(
        "{} cannot answer for {} tokens: its parameter '{}' was trained for {} ([{}]) and would have to be [{}]; use "
        "an encoding without a table by position",
        config.model.encoding, config.model.max_length, entry.name, positions, fmt::join(known.shape, ", "),
        fmt::join(entry.shape, ", "));
  }
}

}  // namespace

LengthEvaluation::LengthEvaluation(Session& session, double factor)
    : session_(session),
      factor_(factor),
      extra_(extra_tokens(session, factor)),
      task_(session.task().longer(extra_)),
      config_(longer_config(session.config(), *task_)),
      encoding_(resolve_encoding(config_.model)) {
  check_parameters(session.model().layout(), ParameterLayout(config_.model, encoding_), config_,
                   session.config().model.max_length);
}

Scores LengthEvaluation::run(int64_t samples) {
  const int64_t batch = config_.train.batch;
  if (extra_ == 0) return evaluate(session_.model(), session_.data().test, samples, batch);
  Transformer model(session_.model().backend(), config_.model, encoding_,
                    {.capacity = {.tokens = batch * config_.model.max_length, .sequences = batch},
                     .precision = config_.train.precision,
                     .training = false,
                     .position_seed = config_.seed});
  model.load_parameters(session_.model().save_parameters());
  Dataset data;
  const TaskShape shape = task_->shape();
  RandomStream stream{.seed = config_.data.seed, .purpose = Purpose::lengths};
  for (int64_t i = 0; i < samples; ++i) {
    stop_if_cancelled();
    stream.step = static_cast<uint32_t>(i);
    data.append(config_.switches.samples.apply(task_->sample(stream), shape));
  }
  return evaluate(model, data, samples, batch);
}

}  // namespace phasor
