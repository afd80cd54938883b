// phasor tasks: the catalogue, with each task's options.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "phasor/task/task.h"

namespace phasor::app {

void add_tasks_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("tasks", "List the tasks that can be learned");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print an array of objects");
  command->footer("An option is a setting: phasor train --task distance --set task.gap=12");
  command->callback([json] {
    if (*json) {
      nlohmann::ordered_json list = nlohmann::ordered_json::array();
      for (const TaskEntry& entry : task_catalogue()) {
        nlohmann::ordered_json options = nlohmann::ordered_json::array();
        for (const TaskOption& option : entry.options) {
          options.push_back({{"name", option.name},
                             {"help", option.help},
                             {"least", option.least},
                             {"most", option.most},
                             {"quick", option.quick},
                             {"paper", option.paper}});
        }
        list.push_back({{"name", entry.name}, {"summary", entry.summary}, {"options", options}});
      }
      fmt::print("{}\n", list.dump(2));
      return;
    }
    for (const TaskEntry& entry : task_catalogue()) {
      fmt::print("{:<12} {}\n", entry.name, entry.summary);
      for (const TaskOption& option : entry.options) {
        fmt::print("  task.{:<12} {} (quick {}, paper {})\n", option.name, option.help, option.quick, option.paper);
      }
    }
  });
}

}  // namespace phasor::app
