#include "commands/ablate_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "commands/ablate_run.h"
#include "phasor/ablation/ablation_files.h"
#include "phasor/ablation/run_groups.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/notice.h"
#include "phasor/base/seal.h"
#include "phasor/run/run_list.h"
#include "terminal/interrupt.h"
#include "terminal/terminal.h"

namespace phasor::app {
namespace {

namespace fs = std::filesystem;

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
  const std::vector<fs::path> runs = finished_runs(options.run.folder);
  const std::string against = options.against.empty() ? "nope" : options.against;
  const auto has_it = [&](const fs::path& run) { return RunFolder(run).load_config().model.encoding == against; };
  if (!options.against.empty() && std::none_of(runs.begin(), runs.end(), has_it)) {
    fail_usage("--against {}: no run in '{}' has this encoding", against, options.run.folder);
  }
  RunGroupsBuilder builder(options.run.folder);
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
    print_out("{} runs, {} encodings and settings\n{}\n{}written: {}.json, .csv\n", runs.size() - failures.size(),
              groups.groups.size(), run_groups_text(groups), origin_text(all), (folder / stem).string());
  }
  for (const std::string& failure : failures) notice(fmt::format("left out: {}", failure));
  if (!failures.empty()) fail("{} of {} runs could not be ablated", failures.size(), runs.size());
}

}  // namespace phasor::app
