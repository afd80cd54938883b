// phasor compare: which of these encodings is better at this task, and how sure is that?
#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "commands/compare_swap.h"
#include "commands/study_session.h"
#include "options/folder_word.h"
#include "options/grid_options.h"
#include "options/swap_options.h"
#include "options/typed_options.h"
#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"
#include "phasor/report/study_report.h"
#include "phasor/study/records/registration.h"
#include "phasor/study/records/study_folder.h"
#include "phasor/study/summary/asked_comparisons.h"
#include "phasor/study/summary/comparison_text.h"
#include "phasor/study/summary/study_json.h"
#include "phasor/study/summary/study_text.h"
#include "terminal/terminal.h"

namespace phasor::app {
namespace {

struct CompareCommand {
  StudyOptions study;
  GridOptions grid;
  std::string task;  // empty: kDefaultTask, or all of a study's
  SwapOptionWords swap;
  std::string variant;  // of a study's cells
  bool any_variant = true;
};

constexpr const char* kDefaultTask = "distance";

// What it trains, whatever that is called and however many seeds it has.
std::string identity(StudyPlan plan) {
  plan.name.clear();
  for (PlannedCell& cell : plan.cells) cell.seeds.clear();
  return plan_hash(plan);
}

// With --swap one is trained, and the others are what its weights are run under.
StudyPlan plan_of_swap(const CompareCommand& command) {
  if (command.grid.encodings.size() != 1) {
    fail_usage(
        "--swap: one encoding is trained, and the others follow --swap or --recalibrate: phasor compare rope "
        "--swap nope");
  }
  if (command.grid.protocols.size() > 1) fail_usage("--swap: one --protocol");
  GridOptions options = command.grid;
  options.tasks = {command.task.empty() ? kDefaultTask : command.task};
  return grid_plan(options.grid());
}

// runs/compare-distance-rope-alibi; with digits of the plan's hash where the rest does not tell encodings apart.
std::string default_out(const StudyPlan& plan, const char* first) {
  constexpr size_t kLongest = 60, kDigits = 8;
  std::string name = first + plan.cells.front().cell.task;
  for (const PlannedCell& cell : plan.cells) name += "-" + cell.cell.encoding;
  const bool has_formula = name.find('"') != std::string::npos;  // '/' and '*' would look the same
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' ? c : '_';
  if (name.size() <= kLongest && !has_formula) return "runs/" + name;
  return fmt::format("runs/{}-{}", name.substr(0, kLongest), identity(plan).substr(0, kDigits));
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
  options.tasks = {command.task.empty() ? kDefaultTask : command.task};
  return grid_plan(options.grid());
}

bool is_for_cells(const std::string& option) {
  for (const char* known : {"encodings", "--task", "--protocol", "--variant", "--json"}) {
    if (option == known) return true;
  }
  return false;
}

// Cells of a study that is there: nothing is trained.
void compare_cells(const CompareCommand& command, const CLI::App& given) {
  const std::vector<std::string>& words = command.grid.encodings;
  if (words.size() != 3) {
    fail_usage("'{}' is a study's folder: two of its cells are needed, phasor compare {} rope alibi", words.front(),
               words.front());
  }
  for (const CLI::Option* option : given.get_options()) {
    if (option->count() == 0 || is_for_cells(option->get_name())) continue;
    fail_usage(
        "{}: the cells of '{}' are compared as they are: beside --task, --protocol, --variant and --json nothing can "
        "be chosen",
        option->get_name(), words.front());
  }
  if (command.grid.protocols.size() > 1) fail_usage("--protocol: one of them");
  AskedPlaces places;
  if (!command.task.empty()) places.task = command.task;
  if (!command.grid.protocols.empty()) places.protocol = command.grid.protocols.front();
  if (!command.any_variant) places.variant = command.variant;
  const StudyFolder folder(words.front());
  const StudyPlan plan = folder.load_plan();
  const StudyResults results = load_results(folder, plan);
  const std::vector<Comparison> found =
      asked_comparisons(results, planned_comparisons(plan, results), words[1], words[2], places);
  if (command.study.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Comparison& comparison : found) list.push_back(to_json(comparison));
    return print_out("{}\n", list.dump(1));
  }
  print_out("{}\n{}", answers_text(found, TableFormat::terminal), comparisons_text(found, TableFormat::terminal));
}

// A folder may have the name of an encoding, which it is then.
bool is_study_folder(const std::string& word) {
  if (!StudyFolder(word).exists()) return false;
  try {
    parse_encoding(word);
    return false;
  } catch (const Error&) {
    return true;
  }
}

void run_swap(const CompareCommand& command) {
  const StudyPlan plan = plan_of_swap(command);
  const RunConfig& config = plan.cells.front().config;
  const SwapPlan swaps = command.swap.plan(config.model.max_length);
  // Before anything is trained for lengths that the task does not have.
  const auto task = make_task(config.task, config.task_values);
  for (const double factor : swaps.factors) {
    task->longer(std::llround((factor - 1.0) * static_cast<double>(task->shape().max_length)));
  }
  StudyOptions options = command.study;
  if (options.out.empty()) options.out = default_out(plan, "swap-");
  compare_swaps(plan, options, swaps);
}

void run_command(const CompareCommand& command, const CLI::App& given) {
  const std::string first = command.grid.encodings.empty() ? "" : command.grid.encodings.front();
  if (is_study_folder(first)) return compare_cells(command, given);
  // A name may have any sign: a/b=rope.
  if (first.find('=') == std::string::npos && names_folder(first)) {
    fail_usage("'{}' holds no study; a study is a folder made by 'phasor study' or 'phasor compare'", first);
  }
  if (!command.any_variant) fail_usage("--variant is of cells of a study: phasor compare FOLDER rope alibi");
  if (command.swap.wanted()) return run_swap(command);
  command.swap.require_alone();
  const StudyPlan plan = plan_of(command);
  StudyOptions options = command.study;
  if (options.out.empty()) options.out = default_out(plan, "compare-");
  run_study(plan, options);
}

}  // namespace

void add_compare_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "compare", "Train encodings over seeds and test which is better; or one encoding, and change it");
  auto options = std::make_shared<CompareCommand>();
  command
      ->add_option("encodings", options->grid.encodings,
                   "Two encodings or more, each with a name where wanted: mine='bias(\"-abs(d)/8\")'; the first is "
                   "compared with each of the others. Or a study's folder and two of its cells, by name or "
                   "expression: nothing is trained")
      ->type_name("TEXT")
      ->required();
  add_text(*command, "--task", options->task,
           "Task to learn: see 'phasor tasks'. Of a study: the task of the cells (default: all that both have)")
      ->type_name("NAME")
      ->default_str(kDefaultTask);
  add_text(*command, "--preset", options->grid.preset, "Sizes: demo, quick or paper")
      ->type_name("NAME")
      ->capture_default_str();
  options->grid.add_to(*command);
  options->swap.add_to(*command);
  command
      ->add_option_function<std::string>(
          "--variant",
          [options](const std::string& variant) {
            options->variant = variant;
            options->any_variant = false;
          },
          "Of a study: the variant of the cells, which may be empty (default: all that both have)")
      ->type_name("TEXT");
  options->study.add_to(*command, "");
  command->footer(
      "Examples:\n"
      "  phasor compare rope alibi --task distance\n"
      "  phasor compare rope 'rope(base=500)' sinusoidal --tune lr=3e-4,1e-3,3e-3 --seeds 10\n"
      "  phasor compare mine='bias(\"-abs(d)/8\")' alibi\n"
      "  phasor compare runs/mine rope alibi                   two cells of a study, by the rules of its comparisons\n"
      "  phasor compare rope --swap linear='rope(scaling=linear,factor={length})' --recalibrate nope --task retrieval\n"
      "Ctrl-C saves everything; rerun the command to resume. What the numbers mean: docs/statistics.md.");
  command->callback([options, command] { run_command(*options, *command); });
}

}  // namespace phasor::app
