#include "phasor/report/oddities.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "phasor/base/number_text.h"
#include "phasor/report/words.h"
#include "phasor/study/summary/comparison_text.h"

namespace phasor {
namespace {

using Cells = std::vector<CellSummary>;

constexpr double kWideGap = 0.1;  // of accuracies

// "alibi on distance, clean: 3" for every cell with more than none.
template <class Count, class Words>
Oddity counted_cells(const Cells& cells, const Count& count, const Words& words, int64_t& sum) {
  Oddity oddity;
  for (const CellSummary& cell : cells) {
    const int64_t found = count(cell);
    if (found <= 0) continue;
    sum += found;
    oddity.details.push_back(text(cell.cell) + ": " + words(cell, found));
  }
  return oddity;
}

std::optional<Oddity> failed_runs(const Cells& cells) {
  int64_t sum = 0;
  Oddity oddity = counted_cells(
      cells, [](const CellSummary& cell) { return std::ssize(cell.failed); },
      [](const CellSummary&, int64_t count) { return std::to_string(count); }, sum);
  if (sum == 0) return std::nullopt;
  oddity.text = fmt::format("{} failed and {} no accuracy.", plural(sum, "run"), sum == 1 ? "has" : "have");
  return oddity;
}

std::optional<Oddity> missing_runs(const Cells& cells) {
  int64_t sum = 0;
  Oddity oddity = counted_cells(
      cells, [](const CellSummary& cell) { return cell.planned - std::ssize(cell.runs) - std::ssize(cell.failed); },
      [](const CellSummary& cell, int64_t count) { return fmt::format("{} of {}", count, cell.planned); }, sum);
  if (sum == 0) return std::nullopt;
  oddity.text = fmt::format("{} {} not there yet.", plural(sum, "planned run"), sum == 1 ? "is" : "are");
  return oddity;
}

std::optional<Oddity> unconverged_runs(const Cells& cells) {
  int64_t sum = 0, runs = 0;
  Oddity oddity = counted_cells(
      cells, [](const CellSummary& cell) { return std::ssize(cell.unconverged); },
      [](const CellSummary& cell, int64_t count) { return fmt::format("{} of {}", count, cell.runs.size()); }, sum);
  if (sum == 0) return std::nullopt;
  for (const CellSummary& cell : cells) runs += std::ssize(cell.runs);
  oddity.text = fmt::format("{} of {} {} not converged: all count, for what their steps are worth.", sum,
                            plural(runs, "run"), sum == 1 ? "has" : "have");
  return oddity;
}

// Comparisons whose order hangs on runs that have not converged.
std::optional<Oddity> turned_comparisons(const std::vector<Comparison>& comparisons) {
  Oddity oddity;
  for (const Comparison& comparison : comparisons) {
    if (comparison.turned) oddity.details.push_back(answer(comparison));
  }
  if (oddity.details.empty()) return std::nullopt;
  oddity.text = fmt::format("The order of {} would turn without runs that have not converged.",
                            plural(std::ssize(oddity.details), "comparison"));
  return oddity;
}

std::optional<Oddity> disputed_comparisons(const std::vector<Comparison>& comparisons) {
  Oddity oddity;
  for (const Comparison& comparison : comparisons) {
    if (comparison.disputed()) oddity.details.push_back(answer(comparison));
  }
  if (oddity.details.empty()) return std::nullopt;
  oddity.text = fmt::format("In {} the permutation test says otherwise than the interval, which decides.",
                            plural(std::ssize(oddity.details), "comparison"));
  return oddity;
}

std::optional<Oddity> edge_rates(const std::vector<RateChoice>& rates) {
  Oddity oddity;
  for (const RateChoice& choice : rates) {
    if (choice.edge().empty()) continue;
    oddity.details.push_back(fmt::format("{}: {}, the {} of {}", text(choice.cell), print_number(choice.rate),
                                         choice.edge(), choice.trials.size()));
  }
  if (oddity.details.empty()) return std::nullopt;
  oddity.text = fmt::format("{} chosen at the edge of the grid: a better one may lie beyond.",
                            plural(std::ssize(oddity.details), "learning rate"));
  return oddity;
}

std::optional<Oddity> few_seeds(const Cells& cells) {
  int64_t most = 0;  // finished runs of a cell
  for (const CellSummary& cell : cells) {
    if (cell.cell.variant.empty()) most = std::max(most, cell.numbers.test_accuracy.count);
  }
  if (most == 0 || most >= statistics::kLeastRunsToCompare) return std::nullopt;
  return Oddity{fmt::format("{} per cell at most: comparisons need {} on each side.", plural(most, "finished run"),
                            statistics::kLeastRunsToCompare),
                {}};
}

std::optional<Oddity> mixed_cells(const Cells& cells) {
  Oddity oddity;
  for (const CellSummary& cell : cells) {
    if (!cell.numbers.mixed()) continue;
    const std::vector<double>& values = cell.numbers.test_accuracy.values;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    oddity.details.push_back(fmt::format("{}: {} to {}, {} of {} at 90 %", text(cell.cell), percent_text(*least),
                                         percent_text(*most), cell.numbers.success->successes,
                                         plural(cell.numbers.success->trials, "run")));
  }
  if (oddity.details.empty()) return std::nullopt;
  oddity.text = fmt::format(
      "Runs lie more than {:.0f} points apart in {}. No test of means is right "
      "there; compare how many learned.",
      100.0 * kMixedSpread, plural(std::ssize(oddity.details), "cell"));
  return oddity;
}

std::optional<Oddity> overfitted_cells(const Cells& cells) {
  Oddity oddity;
  for (const CellSummary& cell : cells) {
    const SeedInterval& gap = cell.numbers.generalisation_gap;
    if (gap.count == 0 || gap.mean <= kWideGap) continue;
    oddity.details.push_back(
        fmt::format("{}: training accuracy {:.1f} points higher", text(cell.cell), 100.0 * gap.mean));
  }
  if (oddity.details.empty()) return std::nullopt;
  const int64_t count = std::ssize(oddity.details);
  oddity.text = fmt::format("{} {} the training set better than the test set by more than 10 points.",
                            plural(count, "cell"), count == 1 ? "fits" : "fit");
  return oddity;
}

}  // namespace

std::vector<Oddity> study_oddities(const StudySummary& summary) {
  std::vector<Oddity> oddities;
  const auto add = [&](std::optional<Oddity> found) {
    if (found) oddities.push_back(std::move(*found));
  };
  add(failed_runs(summary.cells));
  add(missing_runs(summary.cells));
  add(unconverged_runs(summary.cells));
  add(edge_rates(summary.rates));
  add(few_seeds(summary.cells));
  add(mixed_cells(summary.cells));
  add(turned_comparisons(summary.comparisons));
  add(disputed_comparisons(summary.comparisons));
  add(overfitted_cells(summary.cells));
  if (oddities.empty()) {
    oddities.push_back({"Nothing: all planned runs finished, enough for comparisons, and converged.", {}});
  }
  return oddities;
}

}  // namespace phasor
