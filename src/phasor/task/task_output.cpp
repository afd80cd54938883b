#include "phasor/task/task_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "phasor/base/json_fields.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

Json option_value_json(const TaskOption& option, int64_t value) {
  return option.choices.empty() ? Json(value) : Json(print_option(option, value));
}

Json settings_json(const TaskCard& card) {
  Json json = Json::object();
  for (size_t i = 0; i < card.entry.options.size(); ++i) {
    json[card.entry.options[i].name] = option_value_json(card.entry.options[i], card.values[i]);
  }
  return json;
}

// Numbers of words as encodings take them (segments(E,by=...)).
std::string numbers_text(const NamedWords& words) {
  return words.first == words.last ? std::to_string(words.first) : fmt::format("{}-{}", words.first, words.last);
}

Json words_json(const TaskCard& card) {
  Json json = Json::object();
  for (const NamedWords& words : make_task(card.entry.name, card.values)->shape().words) {
    json[words.name] = numbers_text(words);
  }
  return json;
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

const Fields<TaskFloors>& json_fields(const TaskFloors*) {
  static const Fields<TaskFloors> fields = {
      share_field("chance", &TaskFloors::chance, "accuracy of a class at random"),
      share_field("constant", &TaskFloors::constant, "of the commonest answer, always"),
      share_field("length", &TaskFloors::length, "of the best guess from the length alone"),
      share_field("rule", &TaskFloors::rule, "of the simple rule"),
      share_field("ceiling", &TaskFloors::ceiling, "of the best answer that the tokens allow"),
      share_field("ambiguous", &TaskFloors::ambiguous, "share of samples that leave more than one answer open"),
      share_field("decoys", &TaskFloors::decoys,
                  "share of samples with a word that only looks like part of the answer"),
      size_field("samples", &TaskFloors::samples, "number of samples that these are estimated from"),
      size_field("error", &TaskFloors::error, "largest standard error of these")};
  return fields;
}

static const Fields<TaskOption>& json_fields(const TaskOption*) {
  const auto has_words = [](const TaskOption& option) { return !option.choices.empty(); };
  const auto value = [](const char* name, int64_t TaskOption::*member, const char* help) {
    return json_field<TaskOption>(
        name, "whole number or text",
        [member](const TaskOption& option) { return option_value_json(option, option.*member); }, help);
  };
  static const Fields<TaskOption> fields = {
      field("name", &TaskOption::name, "`task.NAME` is the setting"),
      field("help", &TaskOption::help, "what it sets"),
      field("least", &TaskOption::least, "smallest value; absent for words").left_out_if(has_words),
      field("most", &TaskOption::most, "largest value; absent for words").left_out_if(has_words),
      field("choices", &TaskOption::choices, "the words to choose from; absent for numbers")
          .left_out_if([](const TaskOption& option) { return option.choices.empty(); }),
      value("quick", &TaskOption::quick, "value in the preset `quick`"),
      value("paper", &TaskOption::paper, "value in the preset `paper`")};
  return fields;
}

const Fields<TaskEntry>& json_fields(const TaskEntry*) {
  static const Fields<TaskEntry> fields = {field("name", &TaskEntry::name, "as `--task` takes it"),
                                           field("summary", &TaskEntry::summary, "one sentence"),
                                           field("options", &TaskEntry::options, "its settings")};
  return fields;
}

const Fields<TaskCard>& json_fields(const TaskCard*) {
  static const Fields<TaskCard> fields = joined_fields<TaskCard>(
      {part_fields(&TaskCard::entry, fields_of<TaskEntry>()),
       {json_field<TaskCard>("settings", "object", settings_json, "the value of every option, by its name"),
        json_field<TaskCard>("words", "object", words_json, "numbers of the words that have a name, by the name"),
        field("floors", &TaskCard::floors, "baselines and the ceiling of the accuracy")}});
  return fields;
}

std::string task_list() {
  std::string text;
  for (const TaskEntry& entry : task_catalogue()) text += fmt::format("{:<10} {}\n", entry.name, entry.summary);
  return text;
}

Json task_list_json() { return write_json(task_catalogue()); }

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
  std::vector<std::string> named;
  for (const NamedWords& words : shape.words) named.push_back(fmt::format("{} {}", words.name, numbers_text(words)));
  if (!named.empty()) text += fmt::format("words with names: {}\n", fmt::join(named, ", "));
  text += fmt::format("\nfloors and ceiling, from {} samples (error at most {:.2f} %)\n", floors.samples,
                      100.0 * floors.error);
  text += share_line("chance", floors.chance, "a class at random");
  text += share_line("constant", floors.constant, "the commonest class, always");
  text +=
      share_line("length alone", floors.length, "the commonest class for the sequence's length and the place asked at");
  // A rule that is always right is the solution: there is no simpler one.
  if (floors.rule < 1.0) text += share_line("simple rule", floors.rule, "the first rule that comes to mind");
  text += share_line("ceiling", floors.ceiling, "the best that the tokens allow");
  text += share_line("ambiguous", floors.ambiguous, "samples whose tokens leave more than one answer open");
  text += share_line("decoys", floors.decoys, "samples with a word that only looks like part of the answer");
  if (!entry.notes.empty()) text += fmt::format("\n{}\n", entry.notes);
  return text;
}

Json task_card_json(const TaskEntry& entry, const std::vector<int64_t>& values, const TaskFloors& floors) {
  return write_json(TaskCard{entry, values, floors});
}

}  // namespace phasor
