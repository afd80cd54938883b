#include "study_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command_line.h"
#include "interrupt.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/seal.h"
#include "phasor/study/open_study.h"
#include "phasor/train/finished_run.h"
#include "progress.h"
#include "study_display.h"
#include "terminal.h"

namespace phasor::app {
namespace {

std::string outcome(const StudyFolder& folder, const PlannedRun& run, const RunFailure* failure) {
  if (failure != nullptr) return "FAILED: " + failure->what;
  const StoredResult result = read_result(RunFolder(folder.run(run)), run.config);
  return fmt::format("test accuracy {:.4f}{}, trained in {}", result.test_accuracy,
                     result.converged ? "" : " (not converged)", duration(result.seconds));
}

void carry_out_all(const std::vector<PlannedRun>& runs, const StudyFolder& folder, const RunnerOptions& runner,
                   const std::string& phase) {
  if (runs.empty()) return;
  StudyEnd end = StudyEnd::finished;
  try {
    StudyDisplay display(phase);
    const auto is_done = [&](const PlannedRun& run) { return is_complete(folder, run); };
    if (!std::all_of(runs.begin(), runs.end(), is_done)) display.started(runs.size(), runner);
    end =
        carry_out(runs, folder, runner,
                  {.progress = [&](const StudyProgress& p) { display.progress(p); },
                   .finished = [&](const PlannedRun& run, const RunFailure* failure,
                                   const StudyProgress& p) { display.finished(run, outcome(folder, run, failure), p); },
                   .stop = interrupted});
  } catch (const Error& error) {
    if (!is_full_disk(error.what())) throw;
    fail("{}; make room, then the same command goes on in '{}'", error.what(), folder.path().string());
  }
  if (end == StudyEnd::stopped) {
    fail("interrupted; everything is saved: the same command goes on in '{}'", folder.path().string());
  }
}

std::string rate_text(const PlannedCell& cell) {
  if (!cell.rates.empty()) return fmt::format("best of {}", fmt::join(cell.rates, ", "));
  if (cell.rate_of) return fmt::format("that of {}", text(*cell.rate_of));
  return fmt::format("{}", cell.config.train.learning_rate);
}

}  // namespace

StudyResults run_study(const StudyPlan& plan, const StudyOptions& options) {
  const StudyFolder folder(options.out);
  const RunnerOptions runner = options.runner(plan);
  const OpenStudy open(folder, plan);
  write_file_atomically(folder.file(kCommandFile), remembered_command() + "\n");
  catch_interrupts();
  expect_saving();
  carry_out_all(tuning_runs(plan), folder, runner, "tuning");
  carry_out_all(result_runs(plan, load_rates(folder, plan)), folder, runner, "run");
  return load_results(folder, plan);
}

void print_plan(const StudyPlan& plan) {
  print_out("{}: {} cells\n\n", plan.name, plan.cells.size());
  for (const PlannedCell& cell : plan.cells) {
    print_out("{}: {} seeds, {} steps, lr {}\n", text(cell.cell), cell.seeds.size(), cell.config.train.steps,
              rate_text(cell));
  }
  print_out("\n{} runs", result_runs(plan, {}).size());
  const size_t tuning = tuning_runs(plan).size();
  if (tuning > 0) print_out(", after {} that choose learning rates", tuning);
  print_out("\n");
}

void fail_for_failures(const StudyResults& results) {
  size_t count = 0;
  const RunFailure* first = nullptr;
  for (const CellRuns& cell : results.cells) {
    count += cell.failures.size();
    if (first == nullptr && !cell.failures.empty()) first = &cell.failures.front();
  }
  int64_t missing = 0;
  for (const CellRuns& cell : results.cells) {
    missing += cell.planned - std::ssize(cell.runs) - std::ssize(cell.failures);
  }
  if (first == nullptr && missing > 0) {
    fail("{} of the runs could not be made or read; the lines above say why", missing);
  }
  if (first != nullptr) {
    fail("{} failed; the first, {} with seed {}: {}", count == 1 ? "one run" : fmt::format("{} runs", count),
         text(first->cell), first->seed, first->what);
  }
  for (const RateChoice& choice : results.rates) {
    const auto failed = [](const RateChoice::Trial& trial) { return !trial.accuracy.has_value(); };
    if (std::all_of(choice.trials.begin(), choice.trials.end(), failed)) {
      fail("no learning rate could be chosen for {}: all trials failed, and it kept {}", text(choice.cell),
           choice.rate);
    }
  }
}

}  // namespace phasor::app
