#pragma once
// The numbers that every run has, over the runs of a cell.
#include <cstdint>
#include <optional>
#include <vector>

#include "phasor/statistics/mean_difference.h"
#include "phasor/statistics/sample.h"
#include "phasor/study/records/study_results.h"
#include "phasor/study/summary/seed_interval.h"

namespace phasor {

inline constexpr double kSuccessAccuracy = 0.9;
// Runs of one cell that lie farther apart than this are of two kinds: some learned the task and some did not.
inline constexpr double kMixedSpread = 0.2;

// Runs with a test accuracy of at least kSuccessAccuracy among those that ended; one that failed is no success.
struct SuccessRate {
  int64_t successes = 0, trials = 0;
  statistics::Interval interval;  // 95 %, Clopper and Pearson

  double rate() const { return static_cast<double>(successes) / static_cast<double>(trials); }
};

// The first evaluation with a test accuracy of at least 0.9.
struct StepsTo90 {
  std::vector<std::optional<int64_t>> values;  // of every run; nothing where it never came
  int64_t reached = 0, never = 0;
  std::optional<double> median;  // "never" is later than any step; nothing where the median is such
  SeedInterval mean;             // where all runs reached it, else empty: those that did would be a selection
};

struct CellNumbers {
  SeedInterval test_accuracy, train_accuracy, test_loss;
  SeedInterval generalisation_gap;  // train accuracy - test accuracy
  SeedInterval loss_area, loss_spikes, gradient_variation;
  std::optional<SuccessRate> success;  // nothing where no run has ended
  StepsTo90 steps_to_90;
  int64_t test_samples = 0;  // different ones behind the mean test accuracy; 0: not known

  // Accuracies lie more than kMixedSpread apart. No test of means is right there.
  bool mixed() const;
  // The mean test accuracy as a comparison takes it.
  statistics::RunSample accuracy_sample() const;
};

CellNumbers numbers_of(const CellRuns& cell);

// One value per run.
template <class Value>
std::vector<double> per_run(const std::vector<RunRecord>& runs, const Value& value) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const RunRecord& run : runs) values.push_back(value(run));
  return values;
}

}  // namespace phasor
