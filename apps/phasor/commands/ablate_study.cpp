#include "commands/ablate_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "commands/ablate_run.h"
#include "phasor/ablation/ablation_files.h"
#include "phasor/ablation/run_groups.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/notice.h"
#include "phasor/base/seal.h"
#include "phasor/run/run_list.h"
#include "phasor/study/plan/encoding_labels.h"
#include "phasor/study/records/study_folder.h"
#include "terminal/interrupt.h"
#include "terminal/terminal.h"

namespace phasor::app {
namespace {

namespace fs = std::filesystem;

// What a study calls its encodings, and the order of its cells; nothing of both in another folder.
class StudyOrder {
 public:
  explicit StudyOrder(const fs::path& folder) {
    if (!StudyFolder(folder).exists()) return;
    const StudyPlan plan = StudyFolder(folder).load_plan();
    names_.emplace();
    for (const PlannedCell& cell : plan.cells) {
      cells_.push_back(cell.cell);
      (*names_)[cell.cell.encoding] = encoding_label(cell.cell);
    }
    for (const PlannedRun& run : possible_runs(plan)) {
      const auto cell = std::find(cells_.begin(), cells_.end(), run.cell);
      places_[run.id] = {cell - cells_.begin(), run.config.seed};
    }
  }

  RunGroupsBuilder builder(const fs::path& root) const {
    return names_ ? RunGroupsBuilder(root, *names_) : RunGroupsBuilder(root);
  }
  // Runs that the plan does not have come last.
  void sort(std::vector<fs::path>& runs) const {
    const auto place = [&](const fs::path& run) {
      const auto found = places_.find(run.filename().string());
      return found == places_.end() ? Place{std::ssize(cells_), 0} : found->second;
    };
    std::stable_sort(runs.begin(), runs.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  }
  // The expression that is called so, or the text itself.
  std::string meaning(const std::string& text) const {
    for (const CellName& cell : cells_) {
      if (encoding_label(cell) == text) return cell.encoding;
    }
    return text;
  }
  // What the labels of these groups stand for.
  std::string legend(const RunGroups& groups) const {
    std::vector<CellName> shown;
    for (const CellName& cell : cells_) {
      const auto has_it = [&](const AblatedGroup& group) { return group.encoding == cell.encoding; };
      if (std::any_of(groups.groups.begin(), groups.groups.end(), has_it)) shown.push_back(cell);
    }
    const std::string text = labels_text(labels_of(shown));
    return text.empty() ? text : "\n" + text;
  }

 private:
  using Place = std::pair<int64_t, uint64_t>;  // which cell, and the seed

  std::vector<CellName> cells_;
  std::optional<std::map<std::string, std::string>> names_;
  std::map<std::string, Place> places_;  // by the run's id
};

struct AblatedRuns {
  std::vector<std::string> failures;            // of runs that are left out
  std::map<std::string, int64_t> measurements;  // what was measured, of how many runs
  int64_t read = 0;                             // runs whose ablation was there
};

// A finished ablation of a run is read, unless something else was asked for.
RunAblation ablation_of(const AblateOptions& options, const RunFolderOptions& run, const RunConfig& config,
                        const std::string& label, AblatedRuns& all) {
  std::optional<FinishedAblation> found;
  if (!options.asked) found = load_ablation(run.folder, run.step, config);
  if (found) {
    ++all.read;
    ++all.measurements[sweep_text(found->sweep)];
    return std::move(found->ablation);
  }
  RunAblation ablation = ablate_folder(options, run, label);
  ++all.measurements[sweep_text(options.read(config.train.batch).sweep)];
  return ablation;
}

// What stands below the tables: where numbers came from, and that they are not all of one measurement.
std::string origin_text(const AblatedRuns& all) {
  std::string text;
  if (all.read > 0) {
    text += fmt::format("{} ablation{} read from the run folders, not measured anew\n", all.read,
                        all.read == 1 ? " was" : "s were");
  }
  if (all.measurements.size() > 1) {
    text += "these are not all of one measurement:\n";
    for (const auto& [what, runs] : all.measurements) {
      text += fmt::format("  {} run{}: {}\n", runs, runs == 1 ? "" : "s", what);
    }
    text += "options such as --samples make them equal; with --replace\n";
  }
  return text;
}

AblatedRuns ablate_all(const AblateOptions& options, const std::vector<fs::path>& runs, RunGroupsBuilder& groups) {
  AblatedRuns all;
  for (size_t i = 0; i < runs.size(); ++i) {
    const RunFolderOptions run{.folder = runs[i].string(), .step = options.run.step};
    AblateOptions own = options;
    own.out.clear();
    const std::string label = fmt::format("{} ({} of {})", runs[i].string(), i + 1, runs.size());
    try {
      const FinishedRun finished = read_finished_run(RunFolder(runs[i]));
      groups.require_new(finished.config);
      groups.add(runs[i], finished, ablation_of(own, run, finished.config, label, all));
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      if (interrupted()) throw;
      all.failures.push_back(fmt::format("{}: {}", runs[i].string(), error.what()));
    }
  }
  if (groups.empty()) fail("no run could be ablated; the first: {}", all.failures.front());
  return all;
}

}  // namespace

void run_ablate_study(const AblateOptions& options) {
  std::vector<fs::path> runs = finished_runs(options.run.folder);
  const StudyOrder study(options.run.folder);
  study.sort(runs);
  const std::string against = options.against.empty() ? "nope" : study.meaning(options.against);
  const auto has_it = [&](const fs::path& run) { return RunFolder(run).load_config().model.encoding == against; };
  if (!options.against.empty() && std::none_of(runs.begin(), runs.end(), has_it)) {
    fail_usage("--against {}: no run in '{}' has this encoding", options.against, options.run.folder);
  }
  RunGroupsBuilder builder = study.builder(options.run.folder);
  const AblatedRuns all = ablate_all(options, runs, builder);
  const std::vector<std::string>& failures = all.failures;
  const RunGroups groups = builder.finish(against);
  const nlohmann::ordered_json json = run_groups_json(groups);
  const fs::path folder = options.out.empty() ? options.run.folder : options.out;
  const std::string stem = ablation_stem(options.run);
  make_directory(folder);
  write_file_atomically(folder / (stem + ".csv"), run_groups_csv(groups));
  write_file_atomically(folder / (stem + ".json"), sealed(json.dump(2) + "\n"));
  if (options.json) {
    print_out("{}\n", json.dump(2));
  } else {
    print_out("{} runs, {} encodings and settings\n{}{}\n{}written: {}.json, .csv\n", runs.size() - failures.size(),
              groups.groups.size(), run_groups_text(groups), study.legend(groups), origin_text(all),
              (folder / stem).string());
  }
  for (const std::string& failure : failures) notice(fmt::format("left out: {}", failure));
  if (!failures.empty()) fail("{} of {} runs could not be ablated", failures.size(), runs.size());
}

}  // namespace phasor::app
