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
ComparedCell compared_cell(const CellRuns& cell, const ComparedNumber& number, double never) {
  ComparedCell result{.cell = cell.cell, .failed = std::ssize(cell.failures)};
  for (const RunRecord& run : cell.runs) {
    if (!run.converged) {
      ++result.unconverged;
    } else if (number.quantity == ComparedQuantity::steps_to_90 && !run.steps_to_90) {
      ++result.never;
      result.values.push_back(never);
    } else if (const std::optional<double> value = value_of(run, number)) {
      result.values.push_back(*value);
    } else {
      ++result.unmeasured;
    }
  }
  if (!result.values.empty()) result.mean = statistics::mean(result.values);
  return result;
}

const CellRuns& cell_of(const StudyResults& results, const CellName& cell) {
  const CellRuns* found = results.find(cell);
  if (found == nullptr) fail("study '{}' has no cell '{}' to compare", results.name, text(cell));
  return *found;
}

}  // namespace

std::optional<double> Comparison::adjusted_p() const {
  if (holm) return holm;
  return test ? std::optional(test->p) : std::nullopt;
}

bool Comparison::told() const { return adjusted_p().value_or(1.0) <= kComparisonLevel; }

Comparison compare(const CellRuns& first, const CellRuns& second, const ComparedNumber& number) {
  const auto never = static_cast<double>(std::max(longest_run(first), longest_run(second)) + 1);
  Comparison result{
      .number = number, .first = compared_cell(first, number, never), .second = compared_cell(second, number, never)};
  const std::vector<double>&x = result.first.values, &y = result.second.values;
  if (std::min(x.size(), y.size()) < kFewestValues) return result;
  result.test = statistics::permute_two_samples(x, y);
  result.cliffs_delta = statistics::cliffs_delta_interval(x, y);
  const double g = statistics::hedges_g(x, y);
  if (std::isfinite(g)) result.hedges_g = g;
  result.difference = statistics::mean_difference(x, y);
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
  std::vector<double> p;
  p.reserve(family.size());
  for (const Comparison& comparison : family) p.push_back(comparison.test ? comparison.test->p : 1.0);
  const std::vector<double> adjusted = statistics::holm(p);
  for (size_t i = 0; i < family.size(); ++i) {
    family[i].family = std::ssize(family);
    if (family[i].test) family[i].holm = adjusted[i];
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
