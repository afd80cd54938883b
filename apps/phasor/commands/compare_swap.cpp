#include "commands/compare_swap.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands/study_session.h"
#include "phasor/base/cancellation.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/threads.h"
#include "terminal/interrupt.h"
#include "terminal/terminal.h"
#include "terminal/work_progress.h"

namespace phasor::app {
namespace {

std::vector<SwapPoint> measure_all(Backend& backend, const std::vector<PlannedRun>& runs, const StudyFolder& folder,
                                   const SwapPlan& swaps) {
  std::vector<SwapPoint> points;
  // The models that were trained, those trained further, and the encodings that each is put under.
  const auto parts = static_cast<double>(runs.size() * (1 + swaps.swaps.size() + swaps.recalibrated.size()));
  double done = 0.0;
  WorkProgress progress("swap");
  for (const PlannedRun& run : runs) {
    const auto tell = [&](std::string_view) { progress.update("encodings", done++ / parts); };
    try {
      std::vector<SwapPoint> found = measure_swaps(backend, run, folder.run(run), folder.file("recalibrated"), swaps,
                                                   {.tell = tell, .stop = interrupted});
      std::move(found.begin(), found.end(), std::back_inserter(points));
    } catch (const Cancelled&) {
      fail("interrupted; all that was trained is saved; rerun the command to resume '{}'", folder.path().string());
    }
  }
  return points;
}

}  // namespace

void compare_swaps(StudyPlan plan, const StudyOptions& options, const SwapPlan& swaps) {
  const std::optional<StudyResults> results = carry_out_runs(plan, options);
  if (!results) return;
  const StudyFolder folder(options.out);
  std::vector<PlannedRun> runs = result_runs(plan, load_rates(folder, plan));
  std::erase_if(runs, [&](const PlannedRun& run) { return !is_complete(folder, run); });
  const RunnerOptions runner = options.runner(plan);
  set_thread_count(static_cast<int>(runner.jobs * runner.threads));
  const std::unique_ptr<Backend> backend = make_backend(options.device);
  const std::vector<SwapPoint> points = measure_all(*backend, runs, folder, swaps);
  const SwapSummary summary = summarize(points, plan.cells.front().config.model.max_length);
  const std::string json = to_json(summary).dump(1) + "\n";
  write_file_atomically(folder.file("swap.csv"), swap_csv(points));
  write_file_atomically(folder.file("swap.json"), json);
  if (options.json) {
    print_out("{}", json);
  } else {
    print_out("{}\n{}, {}\n", to_text(summary), folder.file("swap.csv").string(), folder.file("swap.json").string());
  }
  if (const std::optional<std::string> failure = results->failure_text()) fail("{}", *failure);
}

}  // namespace phasor::app
