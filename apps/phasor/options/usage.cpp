#include "options/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "phasor/base/suggest.h"

namespace phasor::app {
namespace {

using Words = std::vector<std::string>;

bool is_option(const std::string& word) {
  const bool number = word.size() > 1 && (std::isdigit(static_cast<unsigned char>(word[1])) != 0 || word[1] == '.');
  return word.size() > 1 && word[0] == '-' && word != "--" && !number;
}

std::vector<const CLI::App*> subcommands(const CLI::App& command) { return command.get_subcommands({}); }

// Besides the names of its subcommands.
bool takes_words(const CLI::App& command) {
  const auto options = command.get_options();
  return std::any_of(options.begin(), options.end(),
                     [](const CLI::Option* option) { return option->get_positional(); });
}

std::optional<std::string> unknown_option(const NamedCommand& named, const Words& words) {
  Words known;
  for (const CLI::Option* option : named.command->get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    for (const std::string& name : option->get_snames()) known.push_back("-" + name);
  }
  for (const std::string& word : words) {
    if (word == "--") break;
    const std::string name = word.substr(0, word.find('='));
    if (!is_option(name) || std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::erase(known, "-h");
    return fmt::format("'{}' has no option {}{}", named.path, name, suggestion(name, known));
  }
  return std::nullopt;
}

// The option or argument that the library's message begins with.
const CLI::Option* culprit(const CLI::App& command, const std::string& message) {
  const std::string name = message.substr(0, message.find_first_of(": "));
  for (const CLI::Option* option : command.get_options()) {
    if (option->check_name(name) || option->get_name() == name) return option;
  }
  return nullptr;
}

std::string explain_words(const NamedCommand& named, const CLI::ParseError& error) {
  std::string message = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const Words extra = named.command->remaining();
    const std::string word = extra.empty() ? named.after : extra.front();
    const bool setting = word.find('=') != std::string::npos && named.command->get_option_no_throw("--set") != nullptr;
    return fmt::format("'{}' does not know what to do with '{}'; {}", named.path, word,
                       setting ? "settings stand behind --set" : fmt::format("see '{} --help'", named.path));
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    // Every value is read as text, so only a switch can fail here: "Could not convert: --resume = maybe".
    return fmt::format("{}: a switch takes no value", message.substr(message.find(": ") + 2));
  }
  const CLI::Option* option = culprit(*named.command, message);
  if (option == nullptr) return message;
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    return fmt::format("'{}' needs {}: {}", named.path, option->get_name(), option->get_description());
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    if (option->count() > 1)
      return fmt::format("{} is given {} times; once is right", option->get_name(), option->count());
    if (option->get_expected_min() == 0) return fmt::format("{} is a switch and takes no value", option->get_name());
    return fmt::format("{} needs a value: {}", option->get_name(), option->get_description());
  }
  return message;
}

}  // namespace

NamedCommand named_command(const CLI::App& app, const Words& words) {
  NamedCommand named{.command = &app, .path = app.get_name()};
  for (const std::string& word : words) {
    const auto known = subcommands(*named.command);
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const CLI::App* sub) { return sub->get_name() == word; });
    if (found == known.end()) {
      named.after = word;
      break;
    }
    named.command = *found;
    named.path += " " + word;
  }
  return named;
}

std::string explain(const CLI::App& app, const CLI::ParseError& error, const Words& words) {
  const NamedCommand named = named_command(app, words);
  if (const auto unknown = unknown_option(named, words)) return *unknown;
  const auto known = subcommands(*named.command);
  if (known.empty() || takes_words(*named.command)) return explain_words(named, error);
  Words names;
  for (const CLI::App* sub : known) names.push_back(sub->get_name());
  if (named.after.empty()) return fmt::format("'{}' needs a command; known: {}", named.path, fmt::join(names, ", "));
  return fmt::format("'{}' has no command '{}'{}", named.path, named.after, suggestion(named.after, names));
}

}  // namespace phasor::app
