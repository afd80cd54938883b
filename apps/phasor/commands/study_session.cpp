#include "commands/study_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "phasor/base/display_width.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/notice.h"
#include "phasor/base/text_table.h"
#include "phasor/base/wrapped_text.h"
#include "phasor/paper/paper_study.h"
#include "phasor/paper/road_study.h"
#include "phasor/report/story_output.h"
#include "phasor/report/study_report.h"
#include "phasor/run/finished_run.h"
#include "phasor/study/carry_out/open_study.h"
#include "phasor/study/carry_out/study_outlook.h"
#include "phasor/study/plan/extension.h"
#include "phasor/study/plan/grown_plan.h"
#include "phasor/study/plan/study_plan.h"
#include "phasor/study/summary/learned.h"
#include "phasor/study/summary/more_seeds.h"
#include "phasor/study/summary/study_json.h"
#include "terminal/command_line.h"
#include "terminal/interrupt.h"
#include "terminal/study_progress.h"
#include "terminal/terminal.h"
#include "terminal/training_progress.h"

namespace phasor::app {
namespace {

// "rope learned indirect: 98.7 % (clean, seed 0), trained in 14 s"
std::string outcome(const StudyFolder& folder, const PlannedRun& run, const RunFailure* failure) {
  const std::string which =
      run.tuning ? fmt::format("lr {}", run.config.train.learning_rate) : fmt::format("seed {}", run.config.seed);
  if (failure != nullptr) return fmt::format("{}, {}: FAILED: {}", text(run.cell), which, failure->what);
  const StoredResult result = read_result(RunFolder(folder.run(run)), run.config);
  const CellName& cell = run.cell;
  return fmt::format("{}{} {} {}: {:.1f} % ({}, {}){}, trained in {}", isolated(encoding_label(cell)),
                     cell.variant.empty() ? "" : fmt::format(", {},", cell.variant),
                     verb(learned(result.test_accuracy, result.floors)), cell.task, 100.0 * result.test_accuracy,
                     cell.protocol, which, result.converged ? "" : ", still improving", duration(result.seconds));
}

void carry_out_all(const std::vector<PlannedRun>& runs, const StudyFolder& folder, const RunnerOptions& runner,
                   const std::string& phase) {
  if (runs.empty()) return;
  StudyEnd end = StudyEnd::finished;
  try {
    StudyProgressLine display(phase);
    const auto is_done = [&](const PlannedRun& run) { return is_complete(folder, run); };
    if (!std::all_of(runs.begin(), runs.end(), is_done)) display.started(runs.size(), runner);
    end = carry_out(runs, folder, runner,
                    {.progress = [&](const StudyProgress& p) { display.progress(p); },
                     .finished = [&](const PlannedRun& run, const RunFailure* failure,
                                     const StudyProgress& p) { display.finished(outcome(folder, run, failure), p); },
                     .stop = interrupted});
  } catch (const Error& error) {
    if (!is_full_disk(error.what())) throw;
    fail("{}; make room, then rerun the command to resume '{}'", error.what(), folder.path().string());
  }
  if (end == StudyEnd::stopped) {
    fail("interrupted; everything is saved; rerun the command to resume '{}'", folder.path().string());
  }
}

// What there is to do, before it begins; nothing where all is done.
void announce(const StudyPlan& plan, const StudyFolder& folder, const RunnerOptions& runner) {
  const StudyOutlook outlook = outlook_of(plan, folder, runner);
  if (outlook.there < outlook.runs + outlook.tuning) say(outlook_text(outlook));
}

StudyResults carry_out_study(const StudyPlan& plan, const StudyOptions& options) {
  const StudyFolder folder(options.out);
  const RunnerOptions runner = options.runner(plan);
  const OpenStudy open(folder, plan, registration_of(plan));
  write_file_atomically(folder.file(kCommandFile), remembered_command() + "\n");
  announce(plan, folder, runner);
  catch_interrupts();
  expect_saving();
  carry_out_all(tuning_runs(plan), folder, runner, "tuning");
  carry_out_all(result_runs(plan, load_rates(folder, plan)), folder, runner, "run");
  return load_results(folder, plan);
}

void print_plan(const StudyPlan& plan, const StudyOptions& options) {
  const StudyOutlook outlook = outlook_of(plan, StudyFolder(options.out), options.runner(plan));
  if (options.json) return print_out("{}\n", outlook_json(plan, outlook).dump(1));
  const bool has_own_sizes = paper::is_paper_study(plan) || paper::is_road_study(plan);
  print_out("{}\n{}{}", plan_text(plan), has_own_sizes ? sizes_text(plan) + "\n" : "", outlook_text(outlook));
}

// Changes the plan to go on with what is there.
bool continues_with_shared_data(StudyPlan& plan, const StudyFolder& folder) {
  if (!folder.exists()) return false;
  try {
    return keep_shared_data(plan, folder.load_plan()) > 0;
  } catch (const FormatError&) {
    return false;  // a damaged study.json is written anew
  }
}

// The folder's plan, where it was extended.
std::optional<StudyPlan> extended_plan(const StudyFolder& folder) {
  if (!folder.exists()) return std::nullopt;
  try {
    StudyPlan plan = folder.load_plan();
    return folder.load_extensions().empty() ? std::nullopt : std::optional(std::move(plan));
  } catch (const FormatError&) {
    return std::nullopt;  // a damaged study.json is written anew
  }
}

// What was added to a study is not lost because another plan lacks it.
void require_all_cells(const StudyPlan& plan, const StudyPlan& there, const std::string& folder) {
  std::vector<std::string> lacking;
  size_t seeds = 0;
  for (const PlannedCell& cell : there.cells) {
    if (plan.find(cell.cell) == nullptr) lacking.push_back(text(cell.cell));
    seeds = std::max(seeds, cell.seeds.size());
  }
  if (lacking.empty()) return;
  for (const PlannedCell& cell : plan.cells) seeds = std::max(seeds, cell.seeds.size());
  fail_usage(
      "'{0}' was extended since it began, and this would drop {1}{2}; 'phasor study {0} --seeds {3}' adds to all that "
      "it has, 'phasor study {0} --add-encoding ...' adds to that, and another --out begins anew",
      folder, lacking.front(), lacking.size() == 1 ? "" : fmt::format(" and {} more", lacking.size() - 1), seeds);
}

// Changes the plan to what the folder has grown to, with what the plan has beyond that; true if that is more than
// asked.
bool continues_extended(StudyPlan& plan, const std::string& folder) {
  const std::optional<StudyPlan> there = extended_plan(StudyFolder(folder));
  if (!there) return false;
  if (!has_cells_of(*there, plan)) {
    require_all_cells(plan, *there, folder);
    return false;
  }
  StudyPlan grown = with_asked(*there, plan);
  const bool has_more = is_part_of(plan, grown);
  plan = std::move(grown);
  return has_more;
}

}  // namespace

std::optional<StudyResults> carry_out_runs(StudyPlan& plan, const StudyOptions& options) {
  if (continues_with_shared_data(plan, StudyFolder(options.out))) {
    notice(fmt::format("'{}' began with one data set for all runs and keeps it; in another --out every run has its own",
                       options.out));
  }
  if (continues_extended(plan, options.out)) {
    notice(fmt::format("'{}' was extended since it began, and goes on with all that it has", options.out));
  }
  if (options.dry_run) {
    print_plan(plan, options);
    return std::nullopt;
  }
  return carry_out_study(plan, options);
}

void run_study(StudyPlan plan, const StudyOptions& options) {
  const std::optional<StudyResults> carried_out = carry_out_runs(plan, options);
  if (!carried_out) return;
  const StudyResults& results = *carried_out;
  const StudyFolder folder(options.out);
  refuse_poorer_summary(folder, plan, results);
  const StudyReport report = make_report(plan, results, folder.load_registration(), folder.load_extensions());
  const std::string written = write_report(folder, report, results);
  if (options.json) {
    print_out("{}", summary_text(report.json));
  } else if (report.paper && !report.story.parts.empty()) {
    print_out("{}", story_screen(report.story, where_to_look(folder)));
  } else {
    print_out("{}\n{}\n", report.terminal, written);
  }
  if (!options.json) {
    const MoreSeeds more = more_seeds(results, report.summary.comparisons);
    const std::string text = more_seeds_text(more, options.runner(plan).jobs, options.out);
    if (!text.empty()) print_out("{}\n", wrapped(text, kTerminalColumns));
  }
  if (const std::optional<std::string> failure = results.failure_text()) fail("{}", *failure);
}

}  // namespace phasor::app
