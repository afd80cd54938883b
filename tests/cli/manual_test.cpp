// The manual page holds every command and option that the help knows, in roff without a fault.
#include <cstdlib>
#include <sstream>

#include "cli/command.h"

namespace phasor {
namespace manual_test {

int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string page() {
  const Outcome outcome = phasor_command({"manual"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

// "--dry-run" as it stands in the page
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '-' ? "\\-" : std::string(1, c);
  return result;
}

// From the command's heading to the next one.
std::string section(const std::string& text, const std::string& heading) {
  const size_t begin = text.find("\n" + heading + "\n");
  EXPECT_NE(begin, std::string::npos) << heading;
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find("\n.S", begin + 1) - begin);
}

// Walks through the help; what it finds must be in the page.
void expect_command(const std::string& text, const Arguments& command) {
  std::string path = "phasor";
  for (const std::string& word : command) path += " " + word;
  const std::string here = section(text, command.empty() ? ".SH OPTIONS" : ".SS " + path);
  const Outcome help = phasor_command(command + Arguments{"--help"});
  ASSERT_EQ(help.code, 0) << help.err;
  std::istringstream lines(help.out);
  int options = 0;
  bool below = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("Example", 0) == 0 || line == "Start with:") break;
    std::string name = line.substr(0, line.find(' ', 2));
    if (line == "Subcommands:") below = true;
    if (below && name.size() > 2 && line.rfind("  ", 0) == 0) expect_command(text, command + Arguments{name.substr(2)});
    if (name.rfind("  --", 0) != 0) continue;
    EXPECT_NE(here.find("\\fB" + escaped(name.substr(2)) + "\\fR"), std::string::npos) << path << name;
    ++options;
  }
  // Only --help is the same everywhere and said once.
  EXPECT_TRUE(options > 0 || below || path == "phasor completion" || path == "phasor manual" || path == "phasor pack")
      << path;
}

TEST(Manual, HasEveryCommandAndOption) {
  const std::string text = page();
  expect_command(text, {});
  expect_words(section(text, ".SH OPTIONS"), {"\\fB\\-\\-help\\fR"});
  expect_words(section(text, ".SS phasor bench step"), {"\\fB\\-\\-warmup\\fR \\fIN\\fR", "(default: 5)"});
}

TEST(Manual, HasTheSectionsOfAManual) {
  const std::string text = page();
  size_t at = 0;
  for (const char* name : {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "EXIT STATUS", "FILES",
                           "ENVIRONMENT", "EXAMPLES", "AUTHORS"}) {
    const size_t found = text.find(std::string("\n.SH ") + name + "\n");
    EXPECT_NE(found, std::string::npos) << name;
    EXPECT_GT(found, at) << name;
    at = found;
  }
  expect_words(section(text, ".SH EXAMPLES"), {"phasor train \\-\\-task distance \\-\\-encoding rope",
                                               "\\(aqbias(\\(dq\\-a*abs(d)\\(ha0.5\\(dq,a=learned(1))\\(aq"});
  expect_words(section(text, ".SS phasor ablate"), {"position_off       attends by content alone"});
}

TEST(Manual, IsTheSameEveryTime) { EXPECT_EQ(page(), page()); }

TEST(Manual, IsPlainText) {
  const std::string text = page();
  for (const char c : text) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << static_cast<int>(c);
  EXPECT_EQ(text.find("\n'"), std::string::npos) << "a quote at the start of a line is a request";
  EXPECT_EQ(text.find(" \n"), std::string::npos) << "spaces at the end of a line";
}

TEST(Manual, GroffHasNothingToSay) {
  if (shell("command -v groff > /dev/null") != 0) GTEST_SKIP() << "groff is not installed";
  const TemporaryFolder folder;
  write_file_atomically(folder / "phasor.1", page());
  EXPECT_EQ(shell("cd '" + folder.path().string() + "' && groff -man -Tutf8 -ww phasor.1 > out 2> err"), 0);
  EXPECT_EQ(read_file(folder / "err"), "");
  expect_words(read_file(folder / "out"), {"rope[heads=0-1]+alibi[heads=2-3]", "'rope(base=500,fraction=0.5)'"});
}

TEST(Manual, TakesNoWords) {
  expect_error(phasor_command({"manual", "train"}), 2, {"'train'", "phasor manual --help"});
}

}  // namespace manual_test
}  // namespace phasor
