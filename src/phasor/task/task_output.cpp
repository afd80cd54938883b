#include "phasor/task/task_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

Json option_value_json(const TaskOption& option, int64_t value) {
  return option.choices.empty() ? Json(value) : Json(print_option(option, value));
}

Json entry_json(const TaskEntry& entry) {
  Json options = Json::array();
  for (const TaskOption& option : entry.options) {
    Json json = {{"name", option.name}, {"help", option.help}};
    if (option.choices.empty()) {
      json["least"] = option.least;
      json["most"] = option.most;
    } else {
      json["choices"] = option.choices;
    }
    json["quick"] = option_value_json(option, option.quick);
    json["paper"] = option_value_json(option, option.paper);
    options.push_back(json);
  }
  return {{"name", entry.name}, {"summary", entry.summary}, {"options", options}};
}

std::string share_line(const char* what, double share, const char* help) {
  return fmt::format("  {:<14} {:6.2f} %  {}\n", what, 100.0 * share, help);
}

}  // namespace

std::string floors_text(const TaskFloors& floors) {
  std::string text = fmt::format("chance {:.1f} %", 100.0 * floors.chance);
  const double noise = 3.0 * floors.error;
  if (floors.constant > floors.chance + noise) {
    text += fmt::format(", commonest answer {:.1f} %", 100.0 * floors.constant);
  }
  if (floors.length > floors.constant + noise) text += fmt::format(", length alone {:.1f} %", 100.0 * floors.length);
  if (floors.rule < floors.ceiling - noise) text += fmt::format(", simple rule {:.1f} %", 100.0 * floors.rule);
  return text + fmt::format(", ceiling {:.1f} %", 100.0 * floors.ceiling);
}

Json floors_json(const TaskFloors& floors) {
  return {{"chance", floors.chance}, {"constant", floors.constant}, {"length", floors.length},
          {"rule", floors.rule},     {"ceiling", floors.ceiling},   {"ambiguous", floors.ambiguous},
          {"decoys", floors.decoys}, {"samples", floors.samples},   {"error", floors.error}};
}

std::string task_list() {
  std::string text;
  for (const TaskEntry& entry : task_catalogue()) text += fmt::format("{:<10} {}\n", entry.name, entry.summary);
  return text;
}

Json task_list_json() {
  Json list = Json::array();
  for (const TaskEntry& entry : task_catalogue()) list.push_back(entry_json(entry));
  return list;
}

std::string task_card(const TaskEntry& entry, const std::vector<int64_t>& values, const TaskFloors& floors) {
  std::string text = fmt::format("{}: {}\n\n", entry.name, entry.summary);
  for (size_t i = 0; i < entry.options.size(); ++i) {
    const TaskOption& option = entry.options[i];
    const std::string setting = fmt::format("task.{}={}", option.name, print_option(option, values[i]));
    text += fmt::format("  {:<26} {}", setting, option.help);
    text += option.choices.empty() ? fmt::format(" ({} to {}; quick {}, paper {})\n", option.least, option.most,
                                                 option.quick, option.paper)
                                   : fmt::format(" ({})\n", fmt::join(option.choices, ", "));
  }
  const TaskShape shape = make_task(entry.name, values)->shape();
  text += fmt::format("\n{} words, {} classes, up to {} tokens\n", shape.vocabulary, shape.classes, shape.max_length);
  text += fmt::format("\nfloors and ceiling, from {} samples (error at most {:.2f} %)\n", floors.samples,
                      100.0 * floors.error);
  text += share_line("chance", floors.chance, "a class at random");
  text += share_line("constant", floors.constant, "the commonest class, always");
  text +=
      share_line("length alone", floors.length, "the commonest class for the sequence's length and the place asked at");
  text += share_line("simple rule", floors.rule, "the first rule that comes to mind");
  text += share_line("ceiling", floors.ceiling, "the best that the tokens allow");
  text += share_line("ambiguous", floors.ambiguous, "samples whose tokens leave more than one answer open");
  text += share_line("decoys", floors.decoys, "samples with a word that only looks like part of the answer");
  if (!entry.notes.empty()) text += fmt::format("\n{}\n", entry.notes);
  return text;
}

Json task_card_json(const TaskEntry& entry, const std::vector<int64_t>& values, const TaskFloors& floors) {
  Json json = entry_json(entry);
  for (size_t i = 0; i < entry.options.size(); ++i) {
    json["settings"][entry.options[i].name] = option_value_json(entry.options[i], values[i]);
  }
  json["floors"] = floors_json(floors);
  return json;
}

}  // namespace phasor
