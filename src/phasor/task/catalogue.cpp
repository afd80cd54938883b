#include <utility>

#include "phasor/base/error.h"
#include "phasor/base/suggest.h"
#include "phasor/task/entries.h"

namespace phasor {

const std::vector<TaskEntry>& task_catalogue() {
  static const std::vector<TaskEntry> catalogue = {
      distance_task(), counting_task(), joint_task(),     index_task(),   retrieval_task(), indirect_task(),
      grid_task(),     grid3_task(),    copy_task(),      reverse_task(), flipflop_task(),  parity_task(),
      modular_task(),  addition_task(), mqar_task(),      passkey_task(), missing_task(),   odds_first_task(),
      stack_task(),    dyck_task(),     variables_task(), listops_task(),
  };
  return catalogue;
}

const TaskEntry& find_task(std::string_view name) {
  std::vector<std::string> names;
  for (const TaskEntry& entry : task_catalogue()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  fail_usage("task: '{}' is not known{}", name, suggestion(name, names));
}

TaskOption word_option(std::string name, std::vector<std::string> choices, std::string help) {
  TaskOption option;
  option.name = std::move(name);
  option.help = std::move(help);
  option.most = static_cast<int64_t>(choices.size()) - 1;
  option.choices = std::move(choices);
  return option;
}

std::string print_option(const TaskOption& option, int64_t value) {
  return option.choices.empty() ? std::to_string(value) : option.choices[static_cast<size_t>(value)];
}

void check_option(const TaskOption& option, int64_t value) {
  if (value >= option.least && value <= option.most) return;
  fail_usage("task.{}: {} is out of range, {} to {}", option.name, value, option.least, option.most);
}

std::unique_ptr<Task> make_task(std::string_view name, const TaskValues& values) {
  const TaskEntry& entry = find_task(name);
  if (values.size() != entry.options.size()) {
    fail_usage("task '{}' has {} options, but {} values were given", name, entry.options.size(), values.size());
  }
  for (size_t i = 0; i < values.size(); ++i) check_option(entry.options[i], values[i]);
  return entry.make(values);
}

TaskValues quick_values(const TaskEntry& entry) {
  TaskValues values;
  for (const TaskOption& option : entry.options) values.push_back(option.quick);
  return values;
}

TaskValues paper_values(const TaskEntry& entry) {
  TaskValues values;
  for (const TaskOption& option : entry.options) values.push_back(option.paper);
  return values;
}

}  // namespace phasor
