// phasor study: a grid of runs from a file or from options, with statistics over seeds.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "commands/commands.h"
#include "commands/study_session.h"
#include "options/grid_options.h"
#include "options/typed_options.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/run/config_presets.h"
#include "phasor/study/plan/study_file.h"

namespace phasor::app {
namespace {

struct StudyCommand {
  StudyOptions study;
  GridOptions grid;
  std::string source;
};

bool is_preset(const std::string& name) {
  const std::vector<std::string> presets = preset_names();
  return std::find(presets.begin(), presets.end(), name) != presets.end();
}

StudyPlan plan_of(const StudyCommand& command) {
  if (!is_preset(command.source)) {
    if (!command.grid.empty()) {
      fail_usage("the file '{}' says what is run: --encodings, --seeds and the like go with a preset", command.source);
    }
    if (!std::filesystem::exists(command.source)) {
      fail_usage("'{}' is neither a file nor a preset (demo, quick, paper)", command.source);
    }
    return read_study(read_file(command.source), command.source);
  }
  if (command.grid.encodings.empty()) fail_usage("--encodings: which ones? For example --encodings rope alibi nope");
  StudyGrid grid = command.grid.grid();
  grid.preset = command.source;
  return grid_plan(grid);
}

void run_command(const StudyCommand& command) {
  const StudyPlan plan = plan_of(command);
  run_study(plan, command.study);
}

}  // namespace

void add_study_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("study", "Train a grid of encodings, tasks, protocols and seeds");
  auto options = std::make_shared<StudyCommand>();
  add_text(*command, "source", options->source, "A study file, or a preset with --encodings: demo, quick, paper")
      ->type_name("FILE|PRESET")
      ->required();
  command
      ->add_option("--encodings", options->grid.encodings,
                   "Encodings, each with a name where wanted: mine='bias(\"-abs(d)/8\")'; the first is compared with "
                   "the next six")
      ->type_name("TEXT");
  command->add_option("--tasks", options->grid.tasks, "Tasks (default: distance): see 'phasor tasks'")
      ->type_name("NAME");
  options->grid.add_to(*command);
  options->study.add_to(*command, "runs/study");
  command->footer(
      "Examples:\n"
      "  phasor study quick --encodings rope alibi nope --tasks distance counting --seeds 5 --out runs/mine\n"
      "  phasor study quick --encodings rope 'rope(base=500)' --tune lr=3e-4,1e-3,3e-3 --measure ablation\n"
      "  phasor study quick --encodings mine='bias(\"-abs(d)/8\")' alibi --seeds 5\n"
      "  phasor study examples/study.json --jobs 2 --out runs/mine\n"
      "Ctrl-C saves everything; rerun the command to resume. The file is described in docs/studies.md.");
  command->callback([options] { run_command(*options); });
}

}  // namespace phasor::app
