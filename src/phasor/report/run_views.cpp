#include "phasor/report/run_views.h"

#include <nlohmann/json.hpp>
#include <set>

#include "phasor/base/json_number.h"
#include "phasor/base/special_numbers.h"
#include "phasor/study/summary/cell_json.h"
#include "phasor/study/summary/cell_numbers.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

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

Json telemetry_json(const std::vector<RunRecord>& runs) {
  std::set<int64_t> steps;
  for (const RunRecord& run : runs) {
    for (const Metrics& metrics : run.curve) steps.insert(metrics.step);
  }
  if (steps.empty()) return nullptr;
  const auto curve = [&](double Metrics::*member) {
    std::vector<SeedInterval> points;
    points.reserve(steps.size());
    for (const int64_t step : steps) points.push_back(seed_interval(values_at(runs, step, member), kPositiveRange));
    return curve_json(points, runs.size());
  };
  Json rates = Json::array();
  for (const int64_t step : steps) rates.push_back(json_number(values_at(runs, step, &Metrics::learning_rate).front()));
  return {{"steps", steps},
          {"gradient_norm", curve(&Metrics::gradient_norm)},
          {"test_loss", curve(&Metrics::test_loss)},
          {"learning_rate", std::move(rates)}};
}

}  // namespace phasor
