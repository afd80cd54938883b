#include "phasor/study/summary/detectable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/json_fields.h"
#include "phasor/statistics/mean_difference.h"
#include "phasor/statistics/power.h"
#include "phasor/statistics/summary.h"

namespace phasor {
namespace {

std::vector<double> deviations_of(const StudyResults& results) {
  std::vector<double> deviations;
  for (const CellRuns& cell : results.cells) {
    std::vector<double> accuracies;
    for (const RunRecord& run : cell.runs) accuracies.push_back(run.test_accuracy);
    if (accuracies.size() >= 2) deviations.push_back(statistics::standard_deviation(accuracies));
  }
  return deviations;
}

double floor_of(int64_t samples, double accuracy, int64_t seeds) {
  return statistics::accuracy_variance_floor(accuracy, samples * std::max<int64_t>(1, seeds));
}

std::string points(double share) { return fmt::format("{:.1f} points", 100.0 * share); }

}  // namespace

const Fields<Detectable>& json_fields(const Detectable*) {
  using D = Detectable;
  static const Fields<D> fields = {
      field("seeds", &D::seeds, "the fewest that a cell has"),
      field("deviation", &D::deviation, "of a run's test accuracy"),
      field("deviation_of", &D::deviation_of, "where that comes from, in words"),
      field("difference", &D::difference, "of two accuracies that is found 4 times in 5; null: too few seeds"),
      field("least", &D::least, "difference that is told from 0 where runs do not scatter at all; null likewise")};
  return fields;
}

Detectable detectable_of(const StudyPlan& plan, const StudyResults& results) {
  Detectable result{.deviation = kUsualDeviation, .deviation_of = kUsualDeviationOf};
  for (const PlannedCell& cell : plan.cells) {
    const int64_t seeds = std::ssize(cell.seeds);
    result.seeds = result.seeds == 0 ? seeds : std::min(result.seeds, seeds);
  }
  // Runs scatter at least as their test sets do: at most so far.
  int64_t samples = plan.cells.front().config.data.test_samples;
  for (const PlannedCell& cell : plan.cells) samples = std::min(samples, cell.config.data.test_samples);
  constexpr double kHalf = 0.5;
  const double of_tests = samples > 0 ? kHalf / std::sqrt(static_cast<double>(samples)) : 0.0;
  if (of_tests > result.deviation) {
    result.deviation = of_tests;
    result.deviation_of = fmt::format("test sets of {} samples alone make them", samples);
  }
  const std::vector<double> measured = deviations_of(results);
  if (!measured.empty()) {
    result.deviation = statistics::quantile(measured, 0.5);
    result.deviation_of = measured.size() == 1 ? "the cell that is here does" : "the median cell that is here does";
  }
  const statistics::RunGroup still{.runs = result.seeds, .variance_floor = floor_of(samples, 1.0, result.seeds)};
  const statistics::RunGroup usual{
      .runs = result.seeds, .deviation = result.deviation, .variance_floor = floor_of(samples, kHalf, result.seeds)};
  result.difference = statistics::detectable_difference(usual, usual);
  result.least = statistics::detectable_difference(still, still);
  return result;
}

std::string detectable_text(const Detectable& detectable) {
  const std::string seeds = fmt::format("{} seed{}", detectable.seeds, detectable.seeds == 1 ? "" : "s");
  if (!std::isfinite(detectable.difference)) {
    return fmt::format("with {} no difference can be decided: it takes {} on each side", seeds,
                       statistics::kLeastRunsToCompare);
  }
  return fmt::format(
      "with {} a difference of {} in test accuracy is found 4 times in 5 if runs scatter by {} (as {}). Where none "
      "scatters, at the ceiling, differences are told from {:.2f} points on",
      seeds, points(detectable.difference), points(detectable.deviation), detectable.deviation_of,
      100.0 * detectable.least);
}

}  // namespace phasor
