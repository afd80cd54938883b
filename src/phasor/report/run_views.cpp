#include "phasor/report/run_views.h"

#include <set>

#include "phasor/base/json_fields.h"
#include "phasor/base/special_numbers.h"
#include "phasor/study/summary/cell_numbers.h"

namespace phasor {
namespace {

const Metrics* metrics_at(const RunRecord& run, int64_t step) {
  for (const Metrics& metrics : run.curve) {
    if (metrics.step == step) return &metrics;
  }
  return nullptr;
}

// A run that was not evaluated at a step has NaN there.
std::vector<double> values_at(const std::vector<RunRecord>& runs, int64_t step, double Metrics::*member) {
  return per_run(runs, [&](const RunRecord& run) {
    const Metrics* metrics = metrics_at(run, step);
    return metrics != nullptr ? metrics->*member : kNaN;
  });
}

}  // namespace

std::optional<TelemetryCurves> telemetry_curves(const std::vector<RunRecord>& runs) {
  std::set<int64_t> steps;
  for (const RunRecord& run : runs) {
    for (const Metrics& metrics : run.curve) steps.insert(metrics.step);
  }
  if (steps.empty()) return std::nullopt;
  const auto curve = [&](double Metrics::*member) {
    std::vector<SeedInterval> points;
    points.reserve(steps.size());
    for (const int64_t step : steps) points.push_back(seed_interval(values_at(runs, step, member), kPositiveRange));
    return curve_columns(points, runs.size());
  };
  TelemetryCurves curves{.steps = {steps.begin(), steps.end()},
                         .gradient_norm = curve(&Metrics::gradient_norm),
                         .test_loss = curve(&Metrics::test_loss)};
  for (const int64_t step : steps) {
    curves.learning_rate.push_back(values_at(runs, step, &Metrics::learning_rate).front());
  }
  return curves;
}

const Fields<TelemetryCurves>& json_fields(const TelemetryCurves*) {
  using T = TelemetryCurves;
  static const Fields<T> fields = {field("steps", &T::steps, "at which some run was evaluated"),
                                   field("gradient_norm", &T::gradient_norm, "as in metrics.jsonl"),
                                   field("test_loss", &T::test_loss, "as in metrics.jsonl"),
                                   field("learning_rate", &T::learning_rate, "of the first run")};
  return fields;
}

}  // namespace phasor
