// phasor tasks: the catalogue, and a card for one: its options, its floors and its ceiling.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "phasor/task/floors.h"
#include "phasor/task/task.h"
#include "phasor/train/config_builder.h"
#include "phasor/train/config_text.h"
#include "phasor/train/metrics.h"
#include "terminal.h"
#include "usage.h"

namespace phasor::app {
namespace {

using Json = nlohmann::ordered_json;

struct TasksOptions {
  std::string name, preset;
  std::vector<std::string> sets;
  std::string samples = "100000";
  bool json = false;
};

Json value_of(const TaskOption& option, int64_t value) {
  return option.choices.empty() ? Json(value) : Json(print_option(option, value));
}

Json to_json(const TaskEntry& entry) {
  Json options = Json::array();
  for (const TaskOption& option : entry.options) {
    Json json = {{"name", option.name}, {"help", option.help}};
    if (option.choices.empty()) {
      json["least"] = option.least;
      json["most"] = option.most;
    } else {
      json["choices"] = option.choices;
    }
    json["quick"] = value_of(option, option.quick);
    json["paper"] = value_of(option, option.paper);
    options.push_back(json);
  }
  return {{"name", entry.name}, {"summary", entry.summary}, {"options", options}};
}

void print_list(bool json) {
  Json list = Json::array();
  for (const TaskEntry& entry : task_catalogue()) {
    if (json) {
      list.push_back(to_json(entry));
    } else {
      print_out("{:<10} {}\n", entry.name, entry.summary);
    }
  }
  if (json) {
    print_out("{}\n", list.dump(2));
  } else {
    print_out(
        "\n'phasor tasks distance' shows one: its options, what chance and length alone give, and its ceiling.\n");
  }
}

void print_card(const TasksOptions& options) {
  ConfigBuilder builder;
  builder.add_set("task=" + find_task(options.name).name);
  if (!options.preset.empty()) builder.add_option("--preset", "preset", options.preset);
  const TaskEntry& entry = find_task(options.name);
  for (const std::string& assignment : options.sets) builder.add_set(assignment);
  const int64_t samples = read_whole("--samples", options.samples, {.least = 2, .most = 100000000});
  const RunConfig config = builder.build();
  const std::unique_ptr<Task> task = make_task(config.task, config.task_values);
  const TaskShape shape = task->shape();
  const TaskFloors floors = measure_floors(*task, samples);
  if (options.json) {
    Json json = to_json(entry);
    for (size_t i = 0; i < entry.options.size(); ++i) {
      json["settings"][entry.options[i].name] = value_of(entry.options[i], config.task_values[i]);
    }
    json["floors"] = floors_json(floors);
    print_out("{}\n", json.dump(2));
    return;
  }
  print_out("{}: {}\n\n", entry.name, entry.summary);
  for (size_t i = 0; i < entry.options.size(); ++i) {
    const TaskOption& option = entry.options[i];
    const std::string setting = fmt::format("task.{}={}", option.name, print_option(option, config.task_values[i]));
    print_out("  {:<26} {}", setting, option.help);
    if (option.choices.empty()) {
      print_out(" ({} to {}; quick {}, paper {})\n", option.least, option.most, option.quick, option.paper);
    } else {
      print_out(" ({})\n", fmt::join(option.choices, ", "));
    }
  }
  print_out("\n{} words, {} classes, up to {} tokens\n", shape.vocabulary, shape.classes, shape.max_length);
  print_out("\nfloors and ceiling, from {} samples (error at most {:.2f} %)\n", floors.samples, 100.0 * floors.error);
  const auto line = [](const char* what, double share, const char* help) {
    print_out("  {:<14} {:6.2f} %  {}\n", what, 100.0 * share, help);
  };
  line("chance", floors.chance, "a class at random");
  line("constant", floors.constant, "the commonest class, always");
  line("length alone", floors.length, "the commonest class for the sequence's length and the place asked at");
  line("simple rule", floors.rule, "the first rule that comes to mind");
  line("ceiling", floors.ceiling, "the best that the tokens allow");
  line("ambiguous", floors.ambiguous, "samples whose tokens leave more than one answer open");
  line("decoys", floors.decoys, "samples with a word that only looks like part of the answer");
  if (!entry.notes.empty()) print_out("\n{}\n", entry.notes);
}

}  // namespace

void add_tasks_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("tasks", "List the tasks that can be learned, or show one with its floors");
  auto options = std::make_shared<TasksOptions>();
  command->add_option("name", options->name, "A task to show")->type_name("NAME");
  add_text(*command, "--preset", options->preset, "Sizes to start from: quick (default) or paper")->type_name("NAME");
  command->add_option("--set", options->sets, "Change an option: task.gap=12")->type_name("KEY=VALUE");
  add_text(*command, "--samples", options->samples, "Samples that floors are measured on")
      ->type_name("N")
      ->capture_default_str();
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
