// phasor study: a grid of runs from a file or from options, with statistics over seeds.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "commands/commands.h"
#include "commands/only_run.h"
#include "commands/study_session.h"
#include "options/grid_options.h"
#include "options/typed_options.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/notice.h"
#include "phasor/encoding/encoding.h"
#include "phasor/paper/paper_study.h"
#include "phasor/paper/road_study.h"
#include "phasor/run/config_presets.h"
#include "phasor/study/plan/extension.h"
#include "phasor/study/plan/grown_plan.h"
#include "phasor/study/plan/study_file.h"
#include "phasor/study/records/study_folder.h"

namespace phasor::app {
namespace {

struct StudyCommand {
  StudyOptions study;
  GridOptions grid;
  std::string source;
  std::vector<std::string> added_encodings, added_tasks;
  std::string only;
};

constexpr const char* kDefaultOut = "runs/study";

bool is_preset(const std::string& name) {
  const std::vector<std::string> presets = preset_names();
  return std::find(presets.begin(), presets.end(), name) != presets.end();
}

bool is_study(const std::string& folder) { return StudyFolder(folder).exists(); }

// A folder may have the name of a preset.
bool is_from_folder(const StudyCommand& command) {
  return is_study(command.source) && (command.grid.encodings.empty() || !is_preset(command.source));
}

StudyGrowth growth_of(const StudyCommand& command) {
  StudyGrowth growth{.seeds = command.grid.seeds, .tasks = command.added_tasks};
  for (const std::string& text : command.added_encodings) growth.encodings.push_back(parse_named_encoding(text));
  if (!growth.tasks.empty()) growth.settings = command.grid.grid().settings;
  return growth;
}

// --seeds alone is both: how many a preset's grid has, and how many a study grows to.
void require_no_grid(const StudyCommand& command, const char* what) {
  GridOptions others = command.grid;
  others.seeds.reset();
  if (!command.added_tasks.empty()) others.sets.clear();
  if (others.empty()) return;
  fail_usage(
      "the {} '{}' says what is run: --encodings, --tune and the like go with a preset; --seeds, --add-encoding and "
      "--add-task make a study grow",
      what, command.source);
}

// Of an encoding that is to be added and is there: that it is, or what it is called now.
void tell_what_is_there(const StudyPlan& before, const StudyPlan& after, const NamedEncoding& encoding) {
  const std::string expression = print(parse_encoding(encoding.expression));
  const PlannedCell* known = nullptr;
  for (const PlannedCell& cell : after.cells) {
    if (cell.cell.encoding != expression) continue;
    known = before.find(cell.cell);
    if (known == nullptr) return;
  }
  if (known == nullptr) return;
  const std::string& label = encoding_label(known->cell);
  const std::string& now = encoding_label(after.find(known->cell)->cell);
  notice(label == now ? fmt::format("{} is in the study already; nothing was added", label)
                      : fmt::format("{} is called {} now; nothing was added", label, now));
}

StudyPlan grown_plan(const StudyPlan& plan, const StudyGrowth& growth) {
  const bool is_paper = paper::is_paper_study(plan) || paper::is_road_study(plan);
  if (is_paper && (!growth.encodings.empty() || !growth.tasks.empty())) {
    fail_usage(
        "'{}' is what 'phasor reproduce' judges, by its own encodings and tasks: it grows by --seeds alone. A study of "
        "your own: phasor study quick --encodings ...",
        shown_name(plan));
  }
  if (growth.empty()) return plan;
  StudyPlan later = grown(plan, growth);
  for (const NamedEncoding& encoding : growth.encodings) tell_what_is_there(plan, later, encoding);
  return later;
}

StudyPlan file_plan(const std::string& file) {
  if (!std::filesystem::exists(file)) {
    fail_usage("'{}' is neither a file nor a study's folder nor a preset (demo, quick, paper)", file);
  }
  if (std::filesystem::is_directory(file)) fail_usage("'{}' holds no study: there is no study.json", file);
  return read_study(read_file(file), file);
}

StudyPlan preset_plan(const StudyCommand& command) {
  if (command.grid.encodings.empty()) fail_usage("--encodings: which ones? For example --encodings rope alibi nope");
  StudyGrid grid = command.grid.grid();
  grid.preset = command.source;
  return grid_plan(grid);
}

// What the folder has, with what the plan has beyond it, if it has the plan's cells.
StudyPlan as_in_folder(const StudyPlan& plan, const std::string& folder) {
  if (!is_study(folder)) return plan;
  const StudyPlan there = StudyFolder(folder).load_plan();
  return has_cells_of(there, plan) ? with_asked(there, plan) : plan;
}

StudyPlan plan_of(const StudyCommand& command) {
  const StudyGrowth growth = growth_of(command);
  if (is_from_folder(command)) {
    require_no_grid(command, "folder");
    return grown_plan(StudyFolder(command.source).load_plan(), growth);
  }
  if (is_preset(command.source)) {
    const StudyGrowth without_seeds{.encodings = growth.encodings, .tasks = growth.tasks};
    const StudyPlan plan = preset_plan(command);
    return without_seeds.empty() ? plan : grown_plan(as_in_folder(plan, command.study.out), without_seeds);
  }
  require_no_grid(command, "file");
  const StudyPlan plan = file_plan(command.source);
  return growth.empty() ? plan : grown_plan(as_in_folder(plan, command.study.out), growth);
}

void run_command(StudyCommand command) {
  const bool from_folder = is_from_folder(command);
  const bool has_out = !command.study.out.empty();
  if (from_folder && has_out && command.only.empty() && command.study.out != command.source) {
    fail_usage("'{}' is a study's folder, and goes on there; leave out --out", command.source);
  }
  if (!command.only.empty()) {
    if (!command.added_encodings.empty() || !command.added_tasks.empty()) {
      fail_usage("--only repeats a run of the study as it is; leave out --add-encoding and --add-task");
    }
    return run_only(plan_of(command), command.only, command.study, from_folder ? command.source : "");
  }
  if (!has_out) command.study.out = from_folder ? command.source : kDefaultOut;
  const StudyPlan plan = plan_of(command);
  run_study(plan, command.study);
}

}  // namespace

void add_study_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("study", "Train a grid of encodings, tasks, protocols and seeds; let it grow");
  auto options = std::make_shared<StudyCommand>();
  add_text(*command, "source", options->source,
           "A study file, a study's folder, or a preset with --encodings: demo, quick, paper")
      ->type_name("FILE|FOLDER|PRESET")
      ->required();
  command
      ->add_option("--encodings", options->grid.encodings,
                   "Encodings, each with a name where wanted: mine='bias(\"-abs(d)/8\")'; the first is compared with "
                   "the next six")
      ->type_name("TEXT");
  command->add_option("--tasks", options->grid.tasks, "Tasks (default: distance): see 'phasor tasks'")
      ->type_name("NAME");
  options->grid.add_to(*command);
  command
      ->add_option("--add-encoding", options->added_encodings,
                   "Let the study grow by an encoding, EXPR or NAME=EXPR; may be repeated")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  command->add_option("--add-task", options->added_tasks, "Let it grow by a task; --set says its settings")
      ->type_name("NAME")
      ->allow_extra_args(false);
  add_text(*command, "--only", options->only,
           "Repeat one run, by its id or the first digits of it, into --out (default: runs/only-ID)")
      ->type_name("ID");
  options->study.add_to(*command, "", kDefaultOut);
  command->footer(
      "Examples:\n"
      "  phasor study quick --encodings rope alibi nope --tasks distance counting --seeds 5 --out runs/mine\n"
      "  phasor study quick --encodings rope 'rope(base=500)' --tune lr=3e-4,1e-3,3e-3 --measure ablation\n"
      "  phasor study quick --encodings mine='bias(\"-abs(d)/8\")' alibi --seeds 5\n"
      "  phasor study examples/study.json --jobs 2 --out runs/mine\n"
      "  phasor study runs/mine --seeds 10                            five more, marked as an extension\n"
      "  phasor study runs/mine --add-encoding 'mine=bias(\"-x/8\")'   only what is new is run\n"
      "Ctrl-C saves everything; rerun the command to resume. The file is described in docs/studies.md.");
  command->callback([options] { run_command(*options); });
}

}  // namespace phasor::app
