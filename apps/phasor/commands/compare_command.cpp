// phasor compare: which of these encodings is better at this task, and how sure is that?
#include <fmt/format.h>

#include <cctype>

#include "commands/commands.h"
#include "commands/study_session.h"
#include "options/grid_options.h"
#include "options/typed_options.h"
#include "phasor/base/error.h"
#include "phasor/base/utf8.h"
#include "phasor/study/summary/study_text.h"

namespace phasor::app {
namespace {

struct CompareCommand {
  StudyOptions study;
  GridOptions grid;
  std::string task = "distance";
};

// runs/compare-distance-rope-alibi
std::string default_out(const StudyPlan& plan) {
  constexpr size_t kLongest = 60;
  std::string name = "compare-" + plan.cells.front().cell.task;
  for (const PlannedCell& cell : plan.cells) name += "-" + encoding_label(cell.cell);
  std::string safe;  // letters of any script, digits and '-'
  for (std::string_view rest = name; !rest.empty();) {
    const CodePoint next = first_code_point(rest);
    const bool kept = next.value >= 0x80 || std::isalnum(static_cast<int>(next.value)) != 0 || next.value == '-';
    if (safe.size() + next.bytes > kLongest) break;
    safe += kept ? rest.substr(0, next.bytes) : "_";
    rest.remove_prefix(next.bytes);
  }
  return "runs/" + safe;
}

StudyPlan plan_of(const CompareCommand& command) {
  if (command.grid.encodings.size() < 2) fail_usage("compare needs two encodings or more: phasor compare rope alibi");
  constexpr size_t kMost = kMostComparisons + 1;
  if (command.grid.encodings.size() > kMost) {
    fail_usage(
        "compare takes at most {} encodings: every further one weakens what can be said of all; 'phasor study' "
        "takes more",
        kMost);
  }
  GridOptions options = command.grid;
  options.tasks = {command.task};
  return grid_plan(options.grid());
}

void run_command(const CompareCommand& command) {
  const StudyPlan plan = plan_of(command);
  StudyOptions options = command.study;
  if (options.out.empty()) options.out = default_out(plan);
  run_study(plan, options);
}

}  // namespace

void add_compare_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("compare", "Train encodings over seeds and test which is better");
  auto options = std::make_shared<CompareCommand>();
  command
      ->add_option("encodings", options->grid.encodings,
                   "Two encodings or more, each with a name where wanted: mine='bias(\"-abs(d)/8\")'; the first is "
                   "compared with "
                   "each of the others")
      ->type_name("TEXT")
      ->required();
  add_text(*command, "--task", options->task, "Task to learn: see 'phasor tasks'")
      ->type_name("NAME")
      ->capture_default_str();
  add_text(*command, "--preset", options->grid.preset, "Sizes: demo, quick or paper")
      ->type_name("NAME")
      ->capture_default_str();
  options->grid.add_to(*command);
  options->study.add_to(*command, "");
  command->footer(
      "Examples:\n"
      "  phasor compare rope alibi --task distance\n"
      "  phasor compare rope 'rope(base=500)' sinusoidal --tune lr=3e-4,1e-3,3e-3 --seeds 10\n"
      "  phasor compare mine='bias(\"-abs(d)/8\")' alibi\n"
      "Ctrl-C saves everything; rerun the command to resume. What the numbers mean: docs/statistics.md.");
  command->callback([options] { run_command(*options); });
}

}  // namespace phasor::app
