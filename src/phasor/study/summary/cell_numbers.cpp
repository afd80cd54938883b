#include "phasor/study/summary/cell_numbers.h"

#include <algorithm>

#include "phasor/statistics/proportion.h"
#include "phasor/study/summary/test_samples.h"

namespace phasor {
namespace {

std::optional<SuccessRate> success_of(const CellRuns& cell) {
  const int64_t trials = std::ssize(cell.runs) + std::ssize(cell.failures);
  if (trials == 0) return std::nullopt;
  const int64_t successes = std::count_if(cell.runs.begin(), cell.runs.end(),
                                          [](const RunRecord& run) { return run.test_accuracy >= kSuccessAccuracy; });
  return SuccessRate{successes, trials, statistics::clopper_pearson(successes, trials)};
}

// `reached` in rising order, before those that never came.
std::optional<double> median_of(const std::vector<double>& reached, size_t all) {
  const size_t upper = all / 2;
  if (upper >= reached.size()) return std::nullopt;
  return all % 2 == 1 ? reached[upper] : 0.5 * (reached[upper - 1] + reached[upper]);
}

StepsTo90 steps_of(const std::vector<RunRecord>& runs) {
  StepsTo90 steps;
  std::vector<double> reached;
  for (const RunRecord& run : runs) {
    steps.values.push_back(run.steps_to_90);
    if (run.steps_to_90) reached.push_back(static_cast<double>(*run.steps_to_90));
  }
  steps.reached = std::ssize(reached);
  steps.never = std::ssize(runs) - steps.reached;
  if (steps.never == 0) steps.mean = seed_interval(reached, kPositiveRange);
  std::sort(reached.begin(), reached.end());
  if (!reached.empty()) steps.median = median_of(reached, runs.size());
  return steps;
}

}  // namespace

CellNumbers numbers_of(const CellRuns& cell) {
  const auto interval = [&](const auto& value, statistics::Interval range) {
    return seed_interval(per_run(cell.runs, value), range);
  };
  TestSamples samples;
  for (const RunRecord& run : cell.runs) samples.add(run);
  return {.test_accuracy = interval([](const RunRecord& run) { return run.test_accuracy; }, kShareRange),
          .train_accuracy = interval([](const RunRecord& run) { return run.train_accuracy; }, kShareRange),
          .test_loss = interval([](const RunRecord& run) { return run.test_loss; }, kPositiveRange),
          .generalisation_gap =
              interval([](const RunRecord& run) { return run.train_accuracy - run.test_accuracy; }, kDifferenceRange),
          .loss_area = interval([](const RunRecord& run) { return run.loss_area; }, kPositiveRange),
          .loss_spikes = interval([](const RunRecord& run) { return run.loss_spikes; }, kPositiveRange),
          .gradient_variation = interval([](const RunRecord& run) { return run.gradient_variation; }, kPositiveRange),
          .success = success_of(cell),
          .steps_to_90 = steps_of(cell.runs),
          .test_samples = samples.count()};
}

bool CellNumbers::mixed() const {
  if (test_accuracy.count == 0) return false;
  const auto [least, most] = std::minmax_element(test_accuracy.values.begin(), test_accuracy.values.end());
  return *most - *least > kMixedSpread;
}

statistics::RunSample CellNumbers::accuracy_sample() const {
  return {test_accuracy.values, statistics::accuracy_variance_floor(test_accuracy.mean, test_samples)};
}

}  // namespace phasor
