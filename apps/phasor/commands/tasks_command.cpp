// phasor tasks: the catalogue, and a card for one: its options, its floors and its ceiling.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "options/typed_options.h"
#include "phasor/run/config_builder.h"
#include "phasor/run/config_text.h"
#include "phasor/task/task_output.h"
#include "terminal/terminal.h"

namespace phasor::app {
namespace {

struct TasksOptions {
  std::string name, preset;
  std::vector<std::string> sets;
  int64_t samples = 100000;
  bool json = false;
};

void print_card(const TasksOptions& options) {
  const TaskEntry& entry = find_task(options.name);
  ConfigBuilder builder;
  builder.add_set("task=" + entry.name);
  if (!options.preset.empty()) builder.add_option("--preset", "preset", options.preset);
  for (const std::string& assignment : options.sets) builder.add_set(assignment);
  const RunConfig config = builder.build();
  const TaskFloors floors = measure_floors(*make_task(config.task, config.task_values), options.samples);
  if (options.json) {
    print_out("{}\n", task_card_json(entry, config.task_values, floors).dump(2));
  } else {
    print_out("{}", task_card(entry, config.task_values, floors));
  }
}

void print_list(bool json) {
  if (json) return print_out("{}\n", task_list_json().dump(2));
  print_out("{}\n'phasor tasks distance' shows one: its options, what chance and length alone give, and its ceiling.\n",
            task_list());
}

}  // namespace

void add_tasks_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("tasks", "List the tasks that can be learned, or show one with its floors");
  auto options = std::make_shared<TasksOptions>();
  command->add_option("name", options->name, "A task to show")->type_name("NAME");
  add_text(*command, "--preset", options->preset, "Sizes to start from: quick (default), demo or paper")
      ->type_name("NAME");
  command->add_option("--set", options->sets, "Change an option: task.gap=12")->type_name("KEY=VALUE");
  add_whole(*command, "--samples", options->samples, {.least = 2, .most = 100000000},
            "Samples that floors are measured on");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  phasor tasks distance --preset paper --set task.fillers=any\n"
      "An option is a setting: phasor train --task distance --set task.gap=12");
  command->callback([options] {
    if (options->name.empty()) {
      print_list(options->json);
    } else {
      print_card(*options);
    }
  });
}

}  // namespace phasor::app
