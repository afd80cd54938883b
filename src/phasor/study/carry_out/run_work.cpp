#include "phasor/study/carry_out/run_work.h"

#include <algorithm>

#include "phasor/run/parameter_match.h"
#include "phasor/task/task.h"

namespace phasor {
namespace {

// Tokens of a sample, on average.
double mean_length(const RunConfig& config) {
  if (config.switches.samples.pads) return static_cast<double>(config.model.max_length);
  constexpr uint32_t kSamples = 64;
  const std::unique_ptr<Task> task = make_task(config.task, config.task_values);
  size_t tokens = 0;
  for (uint32_t i = 0; i < kSamples; ++i) {
    tokens += task->sample({.seed = 0, .purpose = Purpose::floors, .step = i}).tokens.size();
  }
  return static_cast<double>(tokens) / kSamples;
}

// Of a forward pass over one sample.
double forward_work(const RunConfig& config) {
  return mean_length(config) * static_cast<double>(parameter_count(config));
}

}  // namespace

RunWork expected_work(const PlannedRun& run) {
  const RunConfig& config = run.config;
  const auto steps = static_cast<double>(config.train.steps);
  const double evaluations = steps / static_cast<double>(config.train.evaluate_every) + 1.0;
  const auto evaluated = static_cast<double>(std::min(config.train.evaluation_samples, config.data.train_samples) +
                                             tested_samples(config));
  // A backward pass costs twice the forward one.
  RunWork samples{.training = 3.0 * steps * static_cast<double>(config.train.batch) + evaluations * evaluated};
  // Every head alone and all but it, by seven methods, from the middle layer on average; the stream's part is small.
  const auto heads = static_cast<double>(config.model.heads), layers = static_cast<double>(config.model.layers);
  const double ablation = 3.5 * layers * (2.0 * heads + 1.0) * static_cast<double>(run.measures.ablation_samples);
  const auto sets = static_cast<double>(config.data.train_samples + config.data.test_samples);
  if (run.measures.ablation) samples.measuring += ablation;
  if (run.measures.snapshots) samples.measuring += ablation * static_cast<double>(config.train.snapshots.size());
  if (run.measures.published) samples.measuring += layers * heads * sets;
  if (run.measures.spectrum) samples.measuring += 20000.0;
  samples.measuring += 4096.0 * static_cast<double>(run.measures.lengths.size());
  const double unit = forward_work(config);
  return {.training = unit * samples.training, .measuring = unit * samples.measuring};
}

}  // namespace phasor
