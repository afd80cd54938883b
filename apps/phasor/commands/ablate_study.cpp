#include "commands/ablate_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands/ablate_run.h"
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

// Returns what went wrong with single runs, which are left out.
std::vector<std::string> ablate_all(const AblateOptions& options, const std::vector<fs::path>& runs,
                                    RunGroupsBuilder& groups) {
  std::vector<std::string> failures;
  for (size_t i = 0; i < runs.size(); ++i) {
    const RunFolderOptions run{.folder = runs[i].string(), .step = options.run.step};
    AblateOptions own = options;
    own.out.clear();
    const std::string label = fmt::format("{} ({} of {})", runs[i].string(), i + 1, runs.size());
    try {
      const FinishedRun finished = read_finished_run(RunFolder(runs[i]));
      groups.require_new(finished.config);
      groups.add(runs[i], finished, ablate_folder(own, run, label));
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      if (interrupted()) throw;
      failures.push_back(fmt::format("{}: {}", runs[i].string(), error.what()));
    }
  }
  if (groups.empty()) fail("no run could be ablated; the first: {}", failures.front());
  return failures;
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
  const std::vector<std::string> failures = ablate_all(options, runs, builder);
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
    print_out("{} runs, {} encodings and settings\n{}\nwritten: {}.json, .csv\n", runs.size() - failures.size(),
              groups.groups.size(), run_groups_text(groups), (folder / stem).string());
  }
  for (const std::string& failure : failures) notice(fmt::format("left out: {}", failure));
  if (!failures.empty()) fail("{} of {} runs could not be ablated", failures.size(), runs.size());
}

}  // namespace phasor::app
