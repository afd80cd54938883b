#include "phasor/paper/claim_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "phasor/statistics/summary.h"
#include "phasor/study/summary/test_samples.h"

namespace phasor::paper {
namespace {

std::string runs_text(int64_t runs) { return fmt::format("{} run{}", runs, runs == 1 ? "" : "s"); }

}  // namespace

std::vector<double> ClaimSample::settled() const {
  std::vector<double> result;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i >= improving.size() || !improving[i]) result.push_back(values[i]);
  }
  return result;
}

std::vector<const RunRecord*> finished_runs(const StudyResults& results, const CellName& cell) {
  std::vector<const RunRecord*> runs;
  const CellRuns* found = results.find(cell);
  if (found == nullptr) return runs;
  for (const RunRecord& run : found->runs) runs.push_back(&run);
  return runs;
}

std::string notes_on(const CellRuns* cell, const std::string& label) {
  if (cell == nullptr) return "";
  const int64_t improving =
      std::count_if(cell->runs.begin(), cell->runs.end(), [](const RunRecord& run) { return !run.converged; });
  const int64_t failed = std::ssize(cell->failures);
  const int64_t missing = std::max<int64_t>(0, cell->planned - std::ssize(cell->runs) - failed);
  std::vector<std::string> parts;
  if (failed > 0) parts.push_back(fmt::format("{} failed", failed));
  if (missing > 0) parts.push_back(fmt::format("{} not finished", missing));
  if (improving > 0) {
    parts.push_back(fmt::format("{} {} still improving at the end", improving, improving == 1 ? "was" : "were"));
  }
  if (parts.empty()) return "";
  const int64_t planned = std::max<int64_t>(cell->planned, std::ssize(cell->runs) + failed);
  return fmt::format("of {} of {} {}", runs_text(planned), label, fmt::join(parts, ", "));
}

Lack lack_of(const CellRuns* cell, const CellName& name, const std::string& label, const std::string& what,
             size_t count) {
  const std::string shown = fmt::format("{} on {}", label, name.task);
  if (cell == nullptr) return {Lack::Kind::cell, shown, ""};
  if (count >= kLeastRuns) return {};
  if (cell->runs.size() >= kLeastRuns) return {Lack::Kind::number, shown, what};
  return {Lack::Kind::runs, shown, notes_on(cell, label)};
}

std::string text(const std::vector<Lack>& lacking) {
  std::vector<std::string> cells, runs;
  std::map<std::string, std::vector<std::string>> numbers;  // cells by what they lack
  const auto add = [](std::vector<std::string>& list, const std::string& item) {
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
  };
  for (const Lack& lack : lacking) {
    if (lack.kind == Lack::Kind::cell) add(cells, lack.cell);
    if (lack.kind == Lack::Kind::runs) {
      add(runs, lack.detail.empty() ? lack.cell : fmt::format("{} ({})", lack.cell, lack.detail));
    }
    if (lack.kind == Lack::Kind::number) add(numbers[lack.detail], lack.cell);
  }
  std::vector<std::string> parts;
  if (!cells.empty()) parts.push_back(fmt::format("not part of this study: {}", fmt::join(cells, ", ")));
  if (!runs.empty()) {
    parts.push_back(fmt::format("fewer than {} finished runs: {}", kLeastRuns, fmt::join(runs, ", ")));
  }
  for (const auto& [what, of] : numbers) {
    parts.push_back(fmt::format("{} measured in fewer than {} runs: {}", what, kLeastRuns, fmt::join(of, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

ClaimSample claim_sample(const StudyResults& results, const CellName& cell, const std::string& label,
                         const std::string& what, const RunNumber& number) {
  ClaimSample sample{.label = label};
  for (const RunRecord* run : finished_runs(results, cell)) {
    const double value = number(*run);
    if (!std::isfinite(value)) continue;
    sample.values.push_back(value);
    sample.improving.push_back(!run->converged);
  }
  const CellRuns* found = results.find(cell);
  sample.lack = lack_of(found, cell, label, what, sample.values.size());
  sample.notes = notes_on(found, label);
  return sample;
}

ClaimSample accuracy_sample(const StudyResults& results, const CellName& cell, const std::string& label) {
  ClaimSample sample = claim_sample(results, cell, label, "test accuracy",
                                    [](const RunRecord& run) { return 100.0 * run.test_accuracy; });
  if (sample.values.empty()) return sample;
  const double share = std::clamp(statistics::mean(sample.values) / 100.0, 0.0, 1.0);
  TestSamples samples;
  for (const RunRecord* run : finished_runs(results, cell)) samples.add(*run);
  sample.variance_floor = 1e4 * statistics::accuracy_variance_floor(share, samples.count());
  return sample;
}

}  // namespace phasor::paper
