#include "phasor/study/summary/comparison.h"

#include <algorithm>
#include <cmath>

#include "phasor/base/error.h"
#include "phasor/statistics/multiplicity.h"
#include "phasor/statistics/summary.h"

namespace phasor {
namespace {

constexpr size_t kFewestValues = 2;

int64_t longest_run(const CellRuns& cell) {
  int64_t steps = 0;
  for (const RunRecord& run : cell.runs) steps = std::max(steps, run.steps);
  return steps;
}

// `never`: what a run that never reached 90 % counts as.
std::optional<double> compared_value(const RunRecord& run, const ComparedNumber& number, double never) {
  if (number.quantity == ComparedQuantity::steps_to_90 && !run.steps_to_90) return never;
  return value_of(run, number);
}

ComparedCell compared_cell(const CellRuns& cell, const ComparedNumber& number, double never) {
  const CellNumbers numbers = numbers_of(cell);
  ComparedCell result{
      .cell = cell.cell, .failed = std::ssize(cell.failures), .success = numbers.success, .mixed = numbers.mixed()};
  for (const RunRecord& run : cell.runs) {
    const std::optional<double> value = compared_value(run, number, never);
    if (!value) {
      ++result.unmeasured;
      continue;
    }
    result.values.push_back(*value);
    if (cell.added_seeds.contains(run.seed)) result.extended = true;
    if (!run.converged) ++result.unconverged;
    if (number.quantity == ComparedQuantity::steps_to_90 && !run.steps_to_90) ++result.never;
  }
  if (result.values.empty()) return result;
  result.mean = statistics::mean(result.values);
  result.variance_floor = variance_floor_of(cell.runs, number, result.mean);
  return result;
}

// Of runs that were not improving any more; nothing where there is none.
std::optional<double> converged_mean(const CellRuns& cell, const ComparedNumber& number, double never) {
  std::vector<double> values;
  for (const RunRecord& run : cell.runs) {
    const std::optional<double> value = compared_value(run, number, never);
    if (run.converged && value) values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional(statistics::mean(values));
}

const CellRuns& cell_of(const StudyResults& results, const CellName& cell) {
  const CellRuns* found = results.find(cell);
  if (found == nullptr) fail("study '{}' has no cell '{}' to compare", results.name, text(cell));
  return *found;
}

}  // namespace

Comparison compare(const CellRuns& first, const CellRuns& second, const ComparedNumber& number) {
  const auto never = static_cast<double>(std::max(longest_run(first), longest_run(second)) + 1);
  Comparison result{.number = number,
                    .first = compared_cell(first, number, never),
                    .second = compared_cell(second, number, never),
                    .margin = margin_of(number)};
  const ComparedCell &x = result.first, &y = result.second;
  const size_t fewest = std::min(x.values.size(), y.values.size());
  if (fewest < kFewestValues) return result;
  const statistics::Interval range = difference_range(number);
  result.difference = statistics::compare_means({x.values, x.variance_floor}, {y.values, y.variance_floor})
                          .within(range.low, range.high);
  result.reading = statistics::read(*result.difference, result.margin);
  if (fewest >= kFewestPermuted) result.test = statistics::permute_two_samples(x.values, y.values);
  const std::optional<double> converged_x = converged_mean(first, number, never);
  const std::optional<double> converged_y = converged_mean(second, number, never);
  if (converged_x && converged_y && x.unconverged + y.unconverged > 0) {
    const double without = *converged_x - *converged_y, with = result.difference->difference;
    if (without * with < 0.0 && std::max(std::abs(without), std::abs(with)) > result.margin) result.turned = without;
  }
  return result;
}

void adjust(std::vector<Comparison>& family) {
  if (family.empty()) return;
  if (family.size() > kMostComparisons) {
    fail(
        "a family has at most {} planned comparisons, got {}: plan fewer, or make families of them that answer "
        "different questions",
        kMostComparisons, family.size());
  }
  const auto decides = [](const Comparison& comparison) {
    return comparison.difference && comparison.difference->decides();
  };
  std::vector<double> p;
  p.reserve(family.size());
  for (const Comparison& comparison : family) p.push_back(decides(comparison) ? comparison.difference->p : 1.0);
  const std::vector<double> adjusted = statistics::holm(p);
  for (size_t i = 0; i < family.size(); ++i) {
    family[i].family = std::ssize(family);
    if (decides(family[i])) family[i].holm = adjusted[i];
  }
}

std::vector<Comparison> compare_all(const StudyResults& results, const std::vector<PlannedComparison>& planned) {
  std::vector<Comparison> comparisons;
  comparisons.reserve(planned.size());
  for (const PlannedComparison& plan : planned) {
    comparisons.push_back(compare(cell_of(results, plan.first), cell_of(results, plan.second), plan.number));
  }
  adjust(comparisons);
  return comparisons;
}

}  // namespace phasor
