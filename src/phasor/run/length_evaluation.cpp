#include "phasor/run/length_evaluation.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/cancellation.h"
#include "phasor/base/error.h"
#include "phasor/encoding/beyond.h"
#include "phasor/encoding/encoding.h"

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
  config.model.trained_length = trained.model.max_length;
  return config;
}

RunConfig with_encoding(RunConfig config, const std::string& expression) {
  config.model.encoding = print(parse_encoding(expression));
  return config;
}

// A table with a row for each position ends where training did.
void check_parameters(const ParameterLayout& trained, const ParameterLayout& longer, const RunConfig& config) {
  for (const Parameter& entry : longer.entries()) {
    const auto known = std::find_if(trained.entries().begin(), trained.entries().end(),
                                    [&](const Parameter& other) { return other.name == entry.name; });
    if (known == trained.entries().end() || known->shape == entry.shape) continue;
    fail_usage(
        "{} cannot answer for {} tokens: its parameter '{}' was trained for {} ([{}]) and would have to be [{}]. "
        "Beyond "
        "the training length: {}",
        config.model.encoding, config.model.max_length, entry.name, config.model.trained_length,
        fmt::join(known->shape, ", "), fmt::join(entry.shape, ", "), beyond_words(config.model.encoding));
  }
}

}  // namespace

LengthEvaluation::LengthEvaluation(Session& session, double factor)
    : LengthEvaluation(session, factor, session.config().model.encoding) {}

LengthEvaluation::LengthEvaluation(Session& session, double factor, std::string_view expression, const std::string& run)
    : session_(session),
      factor_(factor),
      extra_(extra_tokens(session, factor)),
      task_(session.task().longer(extra_)),
      config_(with_encoding(longer_config(session.config(), *task_),
                            encoding_at_length(expression, factor, session.config().model.max_length))),
      encoding_(resolve_encoding(config_.model)),
      layout_(config_.model, encoding_) {
  const ParameterLayout& trained = session.model().layout();
  const bool same_encoding = config_.model.encoding == session.config().model.encoding;
  // Of a longer sequence first, so that what a length alone asks for is said of it.
  if (same_encoding || extra_ > 0) check_parameters(trained, layout_, config_);
  swap_ = compare_layouts({session.model().encoding(), trained}, {encoding_, layout_});
  require_trained(swap_, run);
}

bool LengthEvaluation::adds_alike(const LengthEvaluation& other) const {
  const std::optional<InputTerm>&a = encoding_.input, &b = other.encoding_.input;
  if (!a || !b) return !a && !b;
  return a->axis == b->axis && a->per_length == b->per_length && a->fixed == b->fixed && a->learned == b->learned;
}

std::unique_ptr<Transformer> LengthEvaluation::make_model() const {
  const int64_t batch = config_.train.batch;
  auto model = std::make_unique<Transformer>(
      session_.model().backend(), config_.model, encoding_,
      TransformerOptions{.capacity = {.tokens = batch * config_.model.max_length, .sequences = batch},
                         .precision = config_.train.precision,
                         .training = false,
                         .position_seed = config_.seed});
  model->load_parameters(carried_parameters(session_.model().layout(), session_.model().save_parameters(), layout_,
                                            std::vector<float>(static_cast<size_t>(layout_.size()))));
  return model;
}

Dataset LengthEvaluation::make_samples(int64_t count) const {
  Dataset data;
  if (extra_ == 0) {
    const Dataset& test = session_.data().test;
    for (int64_t i = 0; i < std::min(count, test.size()); ++i) data.append(test, i);
    return data;
  }
  const TaskShape shape = task_->shape();
  RandomStream stream{.seed = config_.data.seed, .purpose = Purpose::lengths};
  for (int64_t i = 0; i < count; ++i) {
    stop_if_cancelled();
    stream.step = static_cast<uint32_t>(i);
    data.append(config_.switches.samples.apply(task_->sample(stream), shape));
  }
  return data;
}

Scores LengthEvaluation::run(int64_t samples) {
  const int64_t batch = config_.train.batch;
  const bool is_own = extra_ == 0 && config_.model.encoding == session_.config().model.encoding;
  if (is_own) return evaluate(session_.model(), session_.data().test, samples, batch);
  return evaluate(*make_model(), make_samples(samples), samples, batch);
}

}  // namespace phasor
