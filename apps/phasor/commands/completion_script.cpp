#include "commands/completion_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "phasor/ablation/method.h"
#include "phasor/base/error.h"
#include "phasor/base/suggest.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/run/config_keys.h"
#include "phasor/task/task.h"

namespace phasor::app {
namespace {

using Offer = std::vector<std::string>;

// What can stand as a value: these words, else files or folders, else anything.
struct ValueKind {
  std::string name;
  Offer words;
  bool files = false, folders = false;
};

struct CompletedOption {
  Offer names;
  std::string help;
  bool takes_value = false, takes_many = false;
  std::string kind;
};

struct CompletedCommand {
  std::string path;  // "phasor bench step"
  std::vector<std::pair<std::string, std::string>> commands;
  std::vector<CompletedOption> options;
  std::string argument;  // kind of what stands without an option; empty: nothing does
};

void offer(Offer& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

Offer task_names() {
  Offer names;
  for (const TaskEntry& entry : task_catalogue()) names.push_back(entry.name);
  return names;
}

Offer encoding_names() {
  Offer names;
  for (const EncodingEntry& entry : encoding_catalogue()) names.push_back(entry.name);
  return names;
}

// "relu, gelu" of a key that takes one of a few words.
Offer choices_of(const ConfigKey& key) {
  if (key.name == "task") return task_names();
  if (key.name == "model.encoding") return encoding_names();
  Offer words;
  if (key.type != ConfigType::word && key.type != ConfigType::flag) return words;
  for (const std::string& word : CLI::detail::split(key.range, ',')) {
    words.push_back(CLI::detail::trim_copy(word));
    if (words.back().find(' ') != std::string::npos) return {};  // a sentence
  }
  return words;
}

Offer choices_of(const char* key) { return choices_of(find_key(config_keys(task_catalogue().front()), key)); }

// "train.lr=" where a number follows, "model.ffn=gelu" where a word does.
Offer settings_words() {
  Offer words;
  for (const TaskEntry& task : task_catalogue()) {
    for (const ConfigKey& key : config_keys(task)) {
      const Offer choices = choices_of(key);
      if (choices.empty()) offer(words, key.name + "=");
      for (const std::string& choice : choices) offer(words, key.name + "=" + choice);
    }
  }
  return words;
}

std::vector<ValueKind> value_kinds() {
  Offer methods = {"all"};
  for (const AblationMethod method : all_methods()) methods.emplace_back(name(method));
  return {{.name = "tasks", .words = task_names()},
          {.name = "encodings", .words = encoding_names()},
          {.name = "methods", .words = methods},
          {.name = "presets", .words = choices_of("preset")},
          {.name = "protocols", .words = choices_of("protocol")},
          {.name = "either", .words = {"clean", "released", "both"}},
          {.name = "precisions", .words = choices_of("train.precision")},
          {.name = "settings", .words = settings_words()},
          {.name = "shells", .words = completion_shells()},
          {.name = "studies", .words = choices_of("preset"), .files = true},
          {.name = "folders", .folders = true},
          {.name = "files", .files = true},
          {.name = "anything"}};
}

// Names decide first, then what help calls the value; of what is not known it may be a file.
std::string kind_of(const CLI::App& command, const CLI::Option& option) {
  struct Rule {
    const char* kind;
    Offer names;  // of options, or what help calls their values
  };
  static const std::vector<Rule> rules = {
      {"tasks", {"--task", "--tasks", "tasks name"}},
      {"encodings", {"--encoding", "--encodings", "encodings", "ENCODING", "EXPRESSION"}},
      {"methods", {"--methods"}},
      {"presets", {"--preset"}},
      {"either", {"reproduce --protocol"}},
      {"protocols", {"--protocol"}},
      {"precisions", {"--precision"}},
      {"settings", {"KEY=VALUE"}},
      {"shells", {"SHELL"}},
      {"studies", {"FILE|PRESET"}},
      {"folders", {"FOLDER", "DIR", "RUN"}},
      {"anything", {"NAME", "NAMES", "KIND", "FACTORS", "lr=RATES", "N,N"}}};
  const std::string type = option.get_type_name();
  if (type.size() == 1) return "anything";  // N, H, L: a number
  for (const Rule& rule : rules) {
    for (const std::string& word : {option.get_name(), command.get_name() + " " + option.get_name(), type}) {
      if (std::find(rule.names.begin(), rule.names.end(), word) != rule.names.end()) return rule.kind;
    }
  }
  return "files";
}

void read_tree(const CLI::App& command, const std::string& path, std::vector<CompletedCommand>& commands) {
  CompletedCommand read{.path = path};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // not for people
    if (!option->nonpositional()) {
      read.argument = kind_of(command, *option);
      continue;
    }
    const bool value = option->get_items_expected_max() > 0;
    CompletedOption known{.help = option->get_description(),
                          .takes_value = value,
                          .takes_many = option->get_items_expected_max() > 1,
                          .kind = value ? kind_of(command, *option) : ""};
    for (const std::string& name : option->get_snames()) known.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) known.names.push_back("--" + name);
    read.options.push_back(known);
  }
  const std::vector<const CLI::App*> below = command.get_subcommands({});
  for (const CLI::App* sub : below) read.commands.emplace_back(sub->get_name(), sub->get_description());
  commands.push_back(read);
  for (const CLI::App* sub : below) read_tree(*sub, path + " " + sub->get_name(), commands);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// In single quotes of bash and zsh; fish has another way to write one inside.
std::string in_quotes(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

std::string in_fish_quotes(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

// 'phasor train' | 'phasor bench' | 'phasor bench step'
std::string paths_below(const std::vector<CompletedCommand>& commands, const char* between) {
  Offer paths;
  for (const CompletedCommand& command : commands) paths.push_back(in_quotes(command.path));
  paths.erase(paths.begin());  // the program itself
  return fmt::format("{}", fmt::join(paths, between));
}

// The lines of a case over $option that say what follows it, for bash and zsh.
std::string option_cases(const CompletedCommand& command) {
  std::string text = "      case \"$option\" in\n";
  for (const CompletedOption& option : command.options) {
    if (!option.takes_value) continue;
    text += fmt::format("        {}) takes={} kind={} ;;\n", fmt::join(option.names, " | "),
                        option.takes_many ? "many" : "one", option.kind);
  }
  return text + "      esac ;;\n";
}

// What bash and zsh have in common: which command the words name, and the last option with how much stands behind it.
// WORDS, FIRST and CURSOR are the shell's own.
constexpr const char* kFindPlace = R"(  while ((i < CURSOR)); do
    case "$at ${WORDS[i]}" in
      PATHS) at="$at ${WORDS[i]}" ;;
      *) break ;;
    esac
    ((++i))
  done
  for ((; i < CURSOR; ++i)); do
    case "${WORDS[i]}" in
      -*) option="${WORDS[i]}" given=0 ;;
      =) ;;
      *) ((++given)) ;;
    esac
  done
)";

std::string find_place(const std::vector<CompletedCommand>& commands, const char* words, const char* cursor) {
  std::string text = replaced(replaced(kFindPlace, "WORDS", words), "CURSOR", cursor);
  return replaced(text, "PATHS", paths_below(commands, " | "));
}

constexpr const char* kBashHead = R"(
_phasor() {
  local cur="${COMP_WORDS[COMP_CWORD]}" at=phasor option= given=0 i=1
  local commands= options= argument= takes= kind= offered= key= before=$((COMP_CWORD - 1)) word
)";

// A reply that is empty leaves the word to readline, which completes files or, told so, folders or nothing.
constexpr const char* kBashTail = R"(  if [[ $takes != many && ( $takes != one || $given -gt 0 ) ]]; then
    kind=$argument
    [[ -z $argument ]] && offered="${commands:-$options}"
    [[ -n $argument && $given -eq 0 ]] && offered=$commands
  fi
  [[ $cur == -* ]] && kind= offered=$options
  case "$kind" in
KINDS  esac
  while IFS= read -r word; do
    [[ $word == "$key" ]] || COMPREPLY+=("${word#"$key"}")
  done < <(compgen -W "$offered" -- "$key$cur")
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _phasor phasor
)";

std::string bash_script(const std::vector<CompletedCommand>& commands, const std::vector<ValueKind>& kinds) {
  std::string text = kBashHead;
  text += "  COMPREPLY=()\n";
  text += find_place(commands, "COMP_WORDS", "COMP_CWORD");
  // Bash makes three words of --set train.precision=bf16 behind the option, and of --encoding=rope.
  text += R"(  if [[ $cur == '=' ]]; then
    cur=
  elif [[ ${COMP_WORDS[before]} == '=' ]]; then
    ((--before))
  else
    before=0
  fi
  ((before > 0)) && [[ ${COMP_WORDS[before]} != -* ]] && key="${COMP_WORDS[before]}="
  case "$at" in
)";
  for (const CompletedCommand& command : commands) {
    Offer below, options;
    for (const auto& [name, help] : command.commands) below.push_back(name);
    for (const CompletedOption& option : command.options) options.push_back(option.names.back());
    text += fmt::format("    '{}')\n      commands='{}' argument={}\n      options='{}'\n", command.path,
                        fmt::join(below, " "), command.argument, fmt::join(options, " "));
    text += option_cases(command);
  }
  text += "  esac\n";
  std::string lines;
  for (const ValueKind& kind : kinds) {
    Offer calls;
    if (!kind.words.empty()) calls.push_back(fmt::format("offered='{}'", fmt::join(kind.words, " ")));
    if (!kind.files)
      calls.push_back(fmt::format("compopt +o default{} 2>/dev/null", kind.folders ? " -o dirnames" : ""));
    if (!calls.empty()) lines += fmt::format("    {}) {} ;;\n", kind.name, fmt::join(calls, "; "));
  }
  return text + replaced(kBashTail, "KINDS", lines);
}

constexpr const char* kZshHead = R"(
_phasor() {
  local at=phasor option= given=0 i=2 argument= takes= kind=
  local -a below flags  # commands and options are arrays of zsh itself
)";

constexpr const char* kZshTail = R"(  if [[ $takes != many && ( $takes != one || $given -gt 0 ) ]]; then
    kind=$argument
    (( ! ${#argument} && ${#below} )) && kind=commands
  fi
  if [[ $PREFIX == -* || -z $kind ]]; then
    _describe -o option flags
    return
  fi
  [[ $kind == "$argument" && $given -eq 0 ]] && (( ${#below} )) && _describe command below
  case "$kind" in
    commands) _describe command below ;;
KINDS  esac
}
if [[ $funcstack[1] == _phasor ]]; then
  _phasor "$@"
else
  compdef _phasor phasor
fi
)";

// 'train:Train one model', the form of _describe
std::string zsh_description(const std::string& name, const std::string& help) {
  return "\n        " + in_quotes(replaced(name, ":", "\\:") + ":" + help);
}

std::string zsh_values(const ValueKind& kind) {
  Offer open, whole;  // behind an open one, "train.lr=", no space is to come
  for (const std::string& word : kind.words) (word.back() == '=' ? open : whole).push_back(word);
  Offer calls;
  if (!open.empty()) calls.push_back(fmt::format("compadd -S '' -- {}", fmt::join(open, " ")));
  if (!whole.empty()) calls.push_back(fmt::format("compadd -- {}", fmt::join(whole, " ")));
  if (kind.files) calls.emplace_back("_files");
  if (kind.folders) calls.emplace_back("_files -/");
  if (calls.empty()) calls.emplace_back("_message 'a value'");
  return fmt::format("    {}) {} ;;\n", kind.name, fmt::join(calls, "; "));
}

std::string zsh_script(const std::vector<CompletedCommand>& commands, const std::vector<ValueKind>& kinds) {
  std::string text = kZshHead + find_place(commands, "words", "CURRENT");
  text += R"(  if [[ ${words[CURRENT]} == --*=* ]]; then
    option="${words[CURRENT]%%=*}" given=0
    compset -P '*='
  fi
  case "$at" in
)";
  for (const CompletedCommand& command : commands) {
    text += fmt::format("    '{}')\n      argument={}\n      below=(", command.path, command.argument);
    for (const auto& [name, help] : command.commands) text += zsh_description(name, help);
    text += ")\n      flags=(";
    for (const CompletedOption& option : command.options) text += zsh_description(option.names.back(), option.help);
    text += ")\n" + option_cases(command);
  }
  text += "  esac\n";
  std::string lines;
  for (const ValueKind& kind : kinds) lines += zsh_values(kind);
  return text + replaced(kZshTail, "KINDS", lines);
}

constexpr const char* kFishHead = R"(
function __phasor_at --description 'Whether the words so far name this command'
    set -l words (commandline -opc)
    set -l at phasor
    set -l commands PATHS
    for word in $words[2..]
        contains -- "$at $word" $commands
        or break
        set at "$at $word"
    end
    test "$at" = "$argv[1]"
end
function __phasor_behind --description 'Whether this option of this command is the last one so far'
    __phasor_at $argv[1]
    or return
    set -l options (string match -- '-*' (commandline -opc))
    test "$options[-1]" = "$argv[2]"
end
complete -c phasor -f
)";

std::string fish_values(const ValueKind& kind) {
  std::string text = kind.files ? " -F" : "";
  if (kind.folders) text = " -a '(__fish_complete_directories)'";
  if (!kind.words.empty()) text += fmt::format(" -a '{}'", fmt::join(kind.words, " "));
  return text;
}

std::string fish_script(const std::vector<CompletedCommand>& commands, const std::vector<ValueKind>& kinds) {
  std::string text = replaced(kFishHead, "PATHS", paths_below(commands, " "));
  const auto values = [&](const std::string& kind) {
    return fish_values(*std::find_if(kinds.begin(), kinds.end(), [&](const ValueKind& k) { return k.name == kind; }));
  };
  for (const CompletedCommand& command : commands) {
    const std::string here = fmt::format("complete -c phasor -n \"__phasor_at '{}'\"", command.path);
    for (const auto& [name, help] : command.commands) {
      text += fmt::format("{} -a {} -d {}\n", here, name, in_fish_quotes(help));
    }
    if (!command.argument.empty()) text += here + values(command.argument) + "\n";
    for (const CompletedOption& option : command.options) {
      text += here;
      for (const std::string& name : option.names) {
        text += name[1] == '-' ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (option.takes_value) text += (option.kind == "files" ? " -r" : " -x") + values(option.kind);
      text += fmt::format(" -d {}\n", in_fish_quotes(option.help));
      if (!option.takes_many) continue;
      text += fmt::format("complete -c phasor -n \"__phasor_behind '{}' {}\"{}\n", command.path, option.names.back(),
                          values(option.kind));
    }
  }
  return text;
}

}  // namespace

Offer completion_shells() { return {"bash", "zsh", "fish"}; }

std::string completion_script(const CLI::App& root, std::string_view shell) {
  const Offer shells = completion_shells();
  if (std::find(shells.begin(), shells.end(), shell) == shells.end()) {
    fail_usage("there is no completion for '{}'{}", shell, suggestion(shell, shells));
  }
  std::vector<CompletedCommand> commands;
  read_tree(root, root.get_name(), commands);
  const std::vector<ValueKind> kinds = value_kinds();
  const std::string made = fmt::format("# Made by 'phasor completion {}'.\n", shell);
  if (shell == "zsh") return "#compdef phasor\n" + made + zsh_script(commands, kinds);
  return made + (shell == "bash" ? bash_script(commands, kinds) : fish_script(commands, kinds));
}

}  // namespace phasor::app
