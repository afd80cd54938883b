#include "phasor/report/oddities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "phasor/base/number_text.h"
#include "phasor/report/words.h"
#include "phasor/statistics/permutation.h"
#include "phasor/study/summary/comparison_text.h"

namespace phasor {
namespace {

using Cells = std::vector<CellSummary>;

constexpr double kWideSpread = 0.2, kWideGap = 0.1;  // of accuracies

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
  int64_t sum = 0, runs = 0, whole = 0;
  Oddity oddity = counted_cells(
      cells, [](const CellSummary& cell) { return std::ssize(cell.unconverged); },
      [](const CellSummary& cell, int64_t count) { return fmt::format("{} of {}", count, cell.runs.size()); }, sum);
  if (sum == 0) return std::nullopt;
  for (const CellSummary& cell : cells) {
    runs += std::ssize(cell.runs);
    if (!cell.runs.empty() && cell.unconverged.size() == cell.runs.size()) ++whole;
  }
  oddity.text = fmt::format("{} of {} did not converge, and no claim rests on {}.", sum, plural(runs, "run"),
                            sum == 1 ? "it" : "them");
  if (whole > 0) {
    oddity.text += fmt::format(" {} {} no converged run at all.", plural(whole, "cell"), whole == 1 ? "has" : "have");
  }
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
  int64_t most = 0;  // converged runs of a cell
  for (const CellSummary& cell : cells) {
    if (cell.cell.variant.empty()) most = std::max(most, cell.claimable.test_accuracy.count);
  }
  if (most == 0) return std::nullopt;
  if (most == 1) return Oddity{"One converged run per cell at most: no interval and no test.", {}};
  const double p = statistics::smallest_p_two_samples(most, most);
  if (p * static_cast<double>(kMostComparisons) <= kComparisonLevel) return std::nullopt;
  const std::string limit = p > kComparisonLevel
                                ? "no difference can be significant at 5 %"
                                : "in a family of six comparisons none can be significant at 5 % after Holm";
  return Oddity{fmt::format("At most {} per cell: the smallest p possible is {}, so {}.", plural(most, "converged run"),
                            p_text(p), limit),
                {}};
}

std::optional<Oddity> disagreeing_seeds(const Cells& cells) {
  Oddity oddity;
  for (const CellSummary& cell : cells) {
    std::vector<double> values;
    for (const double value : cell.all.test_accuracy.values) {
      if (std::isfinite(value)) values.push_back(value);
    }
    if (values.empty()) continue;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (*most - *least <= kWideSpread) continue;
    oddity.details.push_back(fmt::format("{}: {} to {}", text(cell.cell), percent_text(*least), percent_text(*most)));
  }
  if (oddity.details.empty()) return std::nullopt;
  oddity.text = fmt::format("Seeds disagree by more than 20 points in {}: a mean says little there.",
                            plural(std::ssize(oddity.details), "cell"));
  return oddity;
}

std::optional<Oddity> overfitted_cells(const Cells& cells) {
  Oddity oddity;
  for (const CellSummary& cell : cells) {
    const SeedInterval& gap = cell.all.generalisation_gap;
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
  add(disagreeing_seeds(summary.cells));
  add(overfitted_cells(summary.cells));
  if (oddities.empty()) {
    oddities.push_back({"Nothing: all planned runs finished and converged, on enough seeds.", {}});
  }
  return oddities;
}

}  // namespace phasor
