#include "phasor/study/records/study_results.h"

#include <fmt/format.h>

#include <algorithm>

namespace phasor {

std::string_view RateChoice::edge() const {
  if (trials.size() < 2) return "";
  const auto [least, most] =
      std::minmax_element(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) { return a.rate < b.rate; });
  if (rate == most->rate) return "highest";
  return rate == least->rate ? "lowest" : "";
}

bool CellRuns::is_extended() const {
  return std::any_of(runs.begin(), runs.end(), [&](const RunRecord& run) { return added_seeds.contains(run.seed); });
}

const CellRuns* StudyResults::find(const CellName& cell) const {
  const auto found = std::find_if(cells.begin(), cells.end(), [&](const CellRuns& runs) { return runs.cell == cell; });
  return found == cells.end() ? nullptr : &*found;
}

int64_t StudyResults::missing() const {
  int64_t missing = 0;
  for (const CellRuns& cell : cells) missing += cell.planned - std::ssize(cell.runs) - std::ssize(cell.failures);
  return missing;
}

std::optional<std::string> StudyResults::failure_text() const {
  size_t count = 0;
  const RunFailure* first = nullptr;
  for (const CellRuns& cell : cells) {
    count += cell.failures.size();
    if (first == nullptr && !cell.failures.empty()) first = &cell.failures.front();
  }
  if (first != nullptr) {
    return fmt::format("{} failed; the first, {} with seed {}: {}",
                       count == 1 ? "one run" : fmt::format("{} runs", count), text(first->cell), first->seed,
                       first->what);
  }
  if (missing() > 0) return fmt::format("{} of the runs could not be made or read; the lines above say why", missing());
  for (const RateChoice& choice : rates) {
    const auto failed = [](const RateChoice::Trial& trial) { return !trial.accuracy.has_value(); };
    if (std::all_of(choice.trials.begin(), choice.trials.end(), failed)) {
      return fmt::format("no learning rate could be chosen for {}: all trials failed, and it kept {}",
                         text(choice.cell), choice.rate);
    }
  }
  return std::nullopt;
}

}  // namespace phasor
