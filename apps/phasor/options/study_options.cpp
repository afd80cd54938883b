#include "options/study_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "options/typed_options.h"
#include "phasor/base/error.h"
#include "phasor/base/threads.h"
#include "phasor/engine/devices.h"
#include "phasor/run/run_cost.h"

namespace phasor::app {

void StudyOptions::add_to(CLI::App& command, const std::string& default_out, const std::string& shown_out) {
  out = default_out;
  CLI::Option* folder = add_text(command, "--out", out, "Study folder; an existing study is resumed");
  folder->type_name("FOLDER");
  if (!out.empty()) folder->capture_default_str();
  if (!shown_out.empty()) folder->default_str(shown_out);
  constexpr WholeRange kRange{.least = 1, .most = 4096};
  add_whole(command, "--jobs", jobs, kRange,
            "Runs at once, with the cores divided among them (default: the fastest split)");
  add_whole(command, "--threads", threads, kRange, "CPU threads of each run; results do not depend on it");
  add_text(command, "--device", device, fmt::format("Where to compute: {}", fmt::join(device_names(), ", ")))
      ->type_name("NAME")
      ->capture_default_str();
  command.add_flag("--dry-run", dry_run,
                   "Print the runs that would be made, their time and what they can show, and stop");
  command.add_flag("--force", force, "Start even if memory or time may not suffice");
  command.add_flag("--json", json, "Print summary.json at the end instead of tables; with --dry-run the plan");
}

RunnerOptions StudyOptions::runner(const StudyPlan& plan) const {
  const int64_t cores = thread_count();
  RunnerOptions options = fastest_split(plan, cores);
  if (jobs) {
    options.jobs = *jobs;
    options.threads = std::max<int64_t>(1, cores / options.jobs);
  }
  if (threads) options.threads = *threads;
  make_backend(device);  // an unknown one is refused before anything is written
  options.device = device;
  if (!force && !dry_run) {
    for (const PlannedCell& cell : plan.cells) {
      require_affordable(run_cost(cell.config), std::min(options.jobs, std::ssize(result_runs(plan, {}))),
                         options.threads,
                         fmt::format("({}) fewer --jobs and smaller sizes need less, and --force tries all the same",
                                     text(cell.cell)));
    }
  }
  return options;
}

}  // namespace phasor::app
