#include "phasor/study/summary/more_seeds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "phasor/base/duration_text.h"
#include "phasor/base/shell_text.h"
#include "phasor/statistics/power.h"
#include "phasor/statistics/summary.h"

namespace phasor {
namespace {

using statistics::RunGroup;

RunGroup group_of(const ComparedCell& cell, int64_t runs) {
  const auto now = static_cast<double>(cell.values.size());
  return {.runs = runs,
          .deviation = statistics::standard_deviation(cell.values),
          .variance_floor = cell.variance_floor * now / static_cast<double>(runs)};
}

// The fewest runs of each side with which `chance` is had; 0: more than kMostSeeds. It grows with their number.
template <class Chance>
int64_t fewest_runs(const Comparison& comparison, const Chance& chance) {
  const auto is_enough = [&](int64_t runs) {
    return chance(group_of(comparison.first, runs), group_of(comparison.second, runs)) >= statistics::kUsualPower;
  };
  int64_t low = static_cast<int64_t>(std::min(comparison.first.values.size(), comparison.second.values.size()));
  int64_t high = MoreSeeds::kMostSeeds;
  if (!is_enough(high)) return 0;
  while (high - low > 1) {
    const int64_t middle = (low + high) / 2;
    (is_enough(middle) ? high : low) = middle;
  }
  return high;
}

std::string name_of(const Comparison& comparison) {
  const CellName &a = comparison.first.cell, &b = comparison.second.cell;
  const bool beside = a.task == b.task && a.protocol == b.protocol && a.variant == b.variant;
  return beside ? fmt::format("{} - {}", encoding_label(a), text(b)) : fmt::format("{} - {}", text(a), text(b));
}

OpenQuestion question_of(const Comparison& comparison) {
  OpenQuestion question{.what = name_of(comparison), .difference = comparison.difference->difference};
  question.to_rule_out = fewest_runs(comparison, [&](const RunGroup& x, const RunGroup& y) {
    return statistics::chance_to_rule_out(x, y, comparison.margin);
  });
  if (std::abs(question.difference) > comparison.margin) {
    question.to_tell = fewest_runs(comparison, [&](const RunGroup& x, const RunGroup& y) {
      return statistics::chance_to_tell(x, y, question.difference);
    });
  }
  return question;
}

int64_t first_settled(const OpenQuestion& question) {
  const auto known = [](int64_t seeds) { return seeds == 0 ? MoreSeeds::kMostSeeds + 1 : seeds; };
  return std::min(known(question.to_tell), known(question.to_rule_out));
}

std::string question_text(const OpenQuestion& question) {
  std::vector<std::string> parts;
  if (question.to_tell > 0) {
    parts.push_back(fmt::format("{} seeds, if the {:.1f} points found are the true difference", question.to_tell,
                                100.0 * std::abs(question.difference)));
  }
  if (question.to_rule_out > 0) parts.push_back(fmt::format("{} seeds, if there is none", question.to_rule_out));
  if (parts.empty()) parts.push_back(fmt::format("more than {} seeds", MoreSeeds::kMostSeeds));
  return fmt::format("{}: {}", question.what, fmt::join(parts, "; "));
}

}  // namespace

MoreSeeds more_seeds(const StudyResults& results, const std::vector<Comparison>& comparisons) {
  MoreSeeds more;
  std::set<std::string> seen;  // two cells may share a run
  double seconds = 0.0;
  for (const CellRuns& cell : results.cells) {
    more.seeds = std::max(more.seeds, cell.planned);
    ++more.runs;
    for (const RunRecord& run : cell.runs) {
      if (seen.insert(run.id).second) seconds += run.seconds;
    }
  }
  if (!seen.empty()) more.seconds = seconds / static_cast<double>(seen.size());
  for (const Comparison& comparison : comparisons) {
    const bool open = comparison.reading == statistics::DifferenceReading::open;
    if (!open || comparison.number.quantity != ComparedQuantity::test_accuracy || !comparison.difference) continue;
    if (!comparison.difference->degenerate) more.open.push_back(question_of(comparison));
  }
  std::stable_sort(more.open.begin(), more.open.end(),
                   [](const OpenQuestion& a, const OpenQuestion& b) { return first_settled(a) < first_settled(b); });
  return more;
}

std::string more_seeds_text(const MoreSeeds& more, int64_t at_once, const std::string& folder) {
  if (more.seconds <= 0.0) return "";
  const double one = more.seconds * static_cast<double>(more.runs) / static_cast<double>(std::max<int64_t>(1, at_once));
  std::string text = fmt::format("One more seed of every cell is {} run{}, about {} by the times of these.", more.runs,
                                 more.runs == 1 ? "" : "s", duration_text(one));
  if (more.open.empty()) return text;
  constexpr size_t kMostNamed = 3;
  std::vector<std::string> named;
  for (const OpenQuestion& question : more.open) {
    if (named.size() < kMostNamed) named.push_back(question_text(question));
  }
  text += fmt::format(" What is open would be settled 4 times in 5 with: {}", fmt::join(named, ". "));
  if (more.open.size() > kMostNamed) text += fmt::format(". And {} more", more.open.size() - kMostNamed);
  const int64_t next = first_settled(more.open.front());
  const int64_t seeds = next > MoreSeeds::kMostSeeds ? 2 * more.seeds : next;
  return text + fmt::format(". To go on: {}", shell_text({"study", folder, "--seeds", std::to_string(seeds)}));
}

}  // namespace phasor
