#include "commands/manual_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

namespace phasor::app {
namespace {

// Text as roff prints it unchanged. Plain quotes, hyphens and the like become typographic ones otherwise, and what was
// copied from the page would not run; a dot or quote at the start of a line is a request.
std::string roff(std::string_view text, bool starts_line = true) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    switch (text[i]) {
      case '\\':
        result += "\\(rs";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '"':
        result += "\\(dq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      case '.':
        if (i == 0 && starts_line) result += "\\&";
        result += '.';
        break;
      default:
        if (byte < 0x80) {
          result += text[i];
          break;
        }
        // The length of a UTF-8 sequence is the number of ones that its first byte starts with.
        const int more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
        uint32_t letter = byte & (0x3fU >> more);
        for (int k = 0; k < more && i + 1 < text.size(); ++k) letter = letter << 6U | (text[++i] & 0x3fU);
        result += fmt::format("\\[u{:04X}]", letter);
    }
  }
  return result;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

// Lines of at most 80 bytes, as roff's checkers want them.
std::string paragraph_lines(const std::vector<std::string>& lines) {
  constexpr size_t kMost = 80;
  std::string text, line;
  for (const std::string& source : lines) {
    std::istringstream words(source);
    for (std::string word; words >> word;) {
      const std::string next = line.empty() ? roff(word) : line + " " + roff(word, false);
      if (next.size() <= kMost || line.empty()) {
        line = next;
        continue;
      }
      text += line + "\n";
      line = roff(word);
    }
  }
  return text + line + "\n";
}

std::string roff_sentence(std::string text) {
  if (!text.empty() && std::string_view(".?!:").find(text.back()) == std::string_view::npos) text += ".";
  return paragraph_lines({text});
}

// "Examples:", and under it lines that can be typed; elsewhere notes, with lines that are kept as they stand.
struct FooterPart {
  std::vector<std::string> text;   // to be filled
  std::vector<std::string> lines;  // indented in the help
  bool examples() const { return !lines.empty() && lines.front().rfind("  phasor ", 0) == 0; }
};

std::vector<FooterPart> footer_parts(const CLI::App& command) {
  std::vector<FooterPart> parts(1);
  // A command without a footer has its parent's.
  if (command.get_parent() != nullptr && command.get_footer() == command.get_parent()->get_footer()) return parts;
  std::istringstream stream(command.get_footer());
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind("  ", 0) == 0) {
      parts.back().lines.push_back(line);
      continue;
    }
    if (!parts.back().lines.empty()) parts.emplace_back();
    parts.back().text.push_back(line);
  }
  return parts;
}

std::string verbatim(const std::vector<std::string>& lines) {
  std::string text = ".RS 4\n.EX\n";
  for (const std::string& line : lines) text += roff(std::string_view(line).substr(2)) + "\n";
  return text + ".EE\n.RE\n";
}

std::string value_name(const CLI::Option& option) {
  const std::string name = option.nonpositional() ? option.get_type_name() : option.get_name();
  return option.get_items_expected_max() > 1 ? italic(name) + " ..." : italic(name);
}

std::string option_entry(const CLI::Option& option) {
  std::string names;
  const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + bold(name); };
  for (const std::string& name : option.get_snames()) add("-" + name);
  for (const std::string& name : option.get_lnames()) add("--" + name);
  const bool argument = names.empty();
  const bool value = option.get_items_expected_max() > 0;
  if (value) names += (argument ? "" : " ") + value_name(option);
  std::string help = option.get_description();
  if (!option.get_default_str().empty()) {
    std::string text = option.get_default_str();
    std::erase_if(text, [](char c) { return c == '[' || c == ']'; });
    help += fmt::format(" (default: {})", text);
  }
  if (!argument && option.get_required()) help += " (required)";
  return ".TP\n" + names + "\n" + roff_sentence(help);
}

bool is_help(const CLI::App& command, const CLI::Option& option) { return &option == command.get_help_ptr(); }

std::string command_usage(const CLI::App& command, const std::string& path) {
  std::string text = ".PP\n" + bold(path);
  const auto options = command.get_options();
  const bool group = !command.get_subcommands({}).empty();
  const bool words =
      std::any_of(options.begin(), options.end(), [](const CLI::Option* option) { return !option->nonpositional(); });
  if (group && !words) return text + " " + italic("COMMAND") + "\n";
  if (std::any_of(options.begin(), options.end(),
                  [&](const CLI::Option* option) { return option->nonpositional() && !is_help(command, *option); })) {
    text += " [" + italic("OPTIONS") + "]";
  }
  for (const CLI::Option* option : options) {
    if (option->nonpositional()) continue;
    text += option->get_required() || group ? " " + value_name(*option) : " [" + value_name(*option) + "]";
  }
  if (group) text += " | " + italic("COMMAND");
  return text + "\n";
}

void add_commands(const CLI::App& parent, const std::string& path, std::string& text) {
  for (const CLI::App* command : parent.get_subcommands({})) {
    const std::string name = path + " " + command->get_name();
    text += ".SS " + roff(name) + "\n" + roff_sentence(command->get_description()) + command_usage(*command, name);
    for (const bool arguments : {true, false}) {
      for (const CLI::Option* option : command->get_options()) {
        if (option->get_group().empty()) continue;  // not for people
        if (option->nonpositional() != arguments && !is_help(*command, *option)) text += option_entry(*option);
      }
    }
    for (const FooterPart& part : footer_parts(*command)) {
      if (part.examples() || (part.text.empty() && part.lines.empty())) continue;
      text += ".PP\n";
      if (!part.text.empty()) text += paragraph_lines(part.text);
      if (!part.lines.empty()) text += verbatim(part.lines);
    }
    add_commands(*command, name, text);
  }
}

void add_examples(const CLI::App& command, const std::string& path, std::string& text) {
  for (const FooterPart& part : footer_parts(command)) {
    if (!part.examples()) continue;
    if (!text.ends_with(".SH EXAMPLES\n")) text += ".PP\n";
    text += bold(path) + ":\n";
    // That these are examples is known here.
    if (!part.text.empty() && part.text.back() != "Example:" && part.text.back() != "Examples:") {
      text += paragraph_lines(part.text);
    }
    text += verbatim(part.lines);
  }
  for (const CLI::App* sub : command.get_subcommands({})) add_examples(*sub, path + " " + sub->get_name(), text);
}

constexpr const char* kPageEnd = R"(.SH EXIT STATUS
.TP
.B 0
Done.
.TP
.B 1
It failed, and one line on standard error says why.
.TP
.B 2
Bad usage: an unknown command, option, setting or value.
.SH FILES
.TP
.I runs/NAME
A run folder, by
.BR "phasor train" :
.I config.json
(every setting),
.I metrics.jsonl
(one line per evaluation),
.I state.safetensors
(what
.B \-\-resume
needs),
.I model.safetensors
(the trained weights) and, when the run is complete,
.IR result.json .
.TP
.I runs/STUDY
A study folder, by
.BR "phasor study" ,
.B compare
and
.BR reproduce :
.I study.json
(what it is made of),
.I runs/ID
(a run folder for each run),
.IR summary.json ,
.I summary.csv
and
.I summary.md
(everything over seeds) and
.I report.html
(by
.BR "phasor report" ).
.SH ENVIRONMENT
.TP
.B OMP_NUM_THREADS
CPU threads where
.B \-\-threads
does not say how many; all cores without either.
Results do not depend on it.
)";

}  // namespace

std::string manual_page(const CLI::App& root, std::string_view version) {
  // "Phasor: a laboratory ...\nTrain small ..."
  std::istringstream description(root.get_description());
  std::vector<std::string> about;
  for (std::string line; std::getline(description, line);) about.push_back(line);
  const std::string& name = root.get_name();
  std::string summary = about.front().substr(about.front().find(": ") + 2);
  if (summary.back() == '.') summary.pop_back();
  about.erase(about.begin());

  // No hyphens in names of files and options. No date, so that the same program always gives the same page.
  std::string text = fmt::format(".\\\" Made by '{} manual'.\n.nr HY 0\n", name);
  text += fmt::format(".TH PHASOR 1 \"\" \"phasor {}\" \"User Commands\"\n.ad l\n", roff(version));
  text += ".SH NAME\n" + roff(name) + " \\- " + roff(summary) + "\n";
  text += ".SH SYNOPSIS\n" + bold(name) + " " + italic("COMMAND") + " [" + italic("OPTIONS") + "] [" +
          italic("ARGUMENTS") + "]\n";
  text += ".SH DESCRIPTION\n" + paragraph_lines(about) +
          "Results go to standard output, progress and errors to standard error.\n.SH OPTIONS\nEvery command knows " +
          bold("--help") + ".\n";
  for (const CLI::Option* option : root.get_options()) text += option_entry(*option);
  text += ".SH COMMANDS\n";
  add_commands(root, name, text);
  text += kPageEnd;
  text += ".SH EXAMPLES\n";
  add_examples(root, name, text);
  return text + ".SH AUTHORS\nThe Phasor authors.\n";
}

}  // namespace phasor::app
