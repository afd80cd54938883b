// What a shell offers when Tab is pressed. Bash really sources the script; of other shells the syntax is checked.
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "cli/command.h"

namespace phasor {
namespace completion_test {

int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class Bash {
 public:
  Bash() {
    const Outcome outcome = phasor_command({"completion", "bash"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    write_file_atomically(folder_ / "script", outcome.out);
  }

  // The words as bash cuts them, with the cursor at the end of the last. Without /usr/share/bash-completion and
  // ~/.bashrc.
  Arguments offered(const Arguments& words) const {
    std::string line;
    for (const std::string& word : words) line += " '" + word + "'";
    const std::string program = "source ./script\nCOMP_WORDS=(" + line +
                                ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) +
                                "\n_phasor phasor\n((${#COMPREPLY[@]} == 0)) || printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    write_file_atomically(folder_ / "program", program);
    EXPECT_EQ(shell("cd '" + folder_.path().string() + "' && bash --norc --noprofile program > out 2> err"), 0);
    EXPECT_EQ(read_file(folder_ / "err"), "");
    std::istringstream lines(read_file(folder_ / "out"));
    Arguments result;
    for (std::string word; std::getline(lines, word);) result.push_back(word);
    return result;
  }

 private:
  TemporaryFolder folder_;
};

bool holds(const Arguments& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(Completion, CompletesCommandsAtAnyDepth) {
  const Bash bash;
  EXPECT_EQ(bash.offered({"phasor", "tr"}), (Arguments{"train"}));
  EXPECT_EQ(bash.offered({"phasor", "bench", "st"}), (Arguments{"step"}));
  EXPECT_EQ(bash.offered({"phasor", "bench", ""}), (Arguments{"encodings", "ablation", "step", "hash"}));
  EXPECT_EQ(bash.offered({"phasor", "--ver"}), (Arguments{"--version"}));
  EXPECT_EQ(bash.offered({"phasor", "zz"}), Arguments{});
}

TEST(Completion, CompletesOptions) {
  const Bash bash;
  EXPECT_EQ(bash.offered({"phasor", "train", "--en"}), (Arguments{"--encoding"}));
  EXPECT_EQ(bash.offered({"phasor", "bench", "step", "--pr"}),
            (Arguments{"--preset", "--protocol", "--precision", "--profile"}));
  EXPECT_EQ(bash.offered({"phasor", "train", "--set", "a", "=", "1", "--res"}), (Arguments{"--resume"}));
}

TEST(Completion, CompletesValues) {
  const Bash bash;
  EXPECT_EQ(bash.offered({"phasor", "train", "--preset", ""}), (Arguments{"demo", "quick", "paper"}));
  EXPECT_EQ(bash.offered({"phasor", "train", "--task", "dist"}), (Arguments{"distance"}));
  EXPECT_TRUE(holds(bash.offered({"phasor", "train", "--encoding", ""}), "alibi"));
  EXPECT_EQ(bash.offered({"phasor", "train", "--encoding", "=", "alib"}), (Arguments{"alibi"})) << "--encoding=alib";
  EXPECT_EQ(bash.offered({"phasor", "study", "quick", "--tasks", "distance", "count"}), (Arguments{"counting"}));
  EXPECT_EQ(bash.offered({"phasor", "compare", "rope", "alib"}), (Arguments{"alibi"}));
  EXPECT_EQ(bash.offered({"phasor", "completion", ""}), (Arguments{"bash", "zsh", "fish"}));
}

TEST(Completion, CompletesSettings) {
  const Bash bash;
  EXPECT_EQ(bash.offered({"phasor", "train", "--set", "train.l"}), (Arguments{"train.lr="}));
  EXPECT_EQ(bash.offered({"phasor", "train", "--set", "train.precision", "="}), (Arguments{"fp32", "bf16"}));
  EXPECT_EQ(bash.offered({"phasor", "train", "--set", "train.precision", "=", "b"}), (Arguments{"bf16"}));
  EXPECT_EQ(bash.offered({"phasor", "train", "--set", "train.lr", "="}), Arguments{});
  EXPECT_EQ(bash.offered({"phasor", "train", "--set", "task", "=", "dist"}), (Arguments{"distance"}));
}

TEST(Completion, LeavesFilesToTheShell) {
  const Bash bash;
  EXPECT_EQ(bash.offered({"phasor", "evaluate", ""}), Arguments{});
  EXPECT_EQ(bash.offered({"phasor", "train", "--config", ""}), Arguments{});
  EXPECT_EQ(bash.offered({"phasor", "train", "--seed", ""}), Arguments{});
}

// Long options at the start of a line of the help, and nothing else, in any command.
void expect_options_of_the_help(const Bash& bash, const Arguments& words) {
  const Arguments command(words.begin() + 1, words.end());
  const Outcome outcome = phasor_command(command + Arguments{"--help"});
  std::istringstream lines(outcome.out.substr(0, outcome.out.find("\nExample")));
  Arguments options;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  -h,", 0) == 0) line.erase(2, 3);
    if (line.rfind("  --", 0) == 0) options.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  EXPECT_GT(options.size(), 0u) << outcome.out;
  EXPECT_EQ(bash.offered(words + Arguments{"--"}), options) << words.back();
  const size_t below = outcome.out.find("\nSubcommands:\n");
  if (below == std::string::npos) return;
  const Arguments commands = bash.offered(words + Arguments{""});
  EXPECT_GT(commands.size(), 1u);
  for (const std::string& name : commands) {
    EXPECT_NE(outcome.out.find("\n  " + name + " ", below), std::string::npos) << name;
    expect_options_of_the_help(bash, words + Arguments{name});
  }
}

TEST(Completion, OffersWhatTheHelpLists) { expect_options_of_the_help(Bash(), {"phasor"}); }

void expect_syntax(const std::string& name) {
  const Outcome outcome = phasor_command({"completion", name});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.out, {"train", "encoding", "'phasor bench step'", "alibi", "train.precision=bf16"});
  if (shell("command -v " + name + " > /dev/null") != 0) GTEST_SKIP() << name << " is not installed";
  const TemporaryFolder folder;
  write_file_atomically(folder / "script", outcome.out);
  EXPECT_EQ(shell("cd '" + folder.path().string() + "' && HOME=. " + name + " -n script > err 2>&1"), 0)
      << read_file(folder / "err");
}

TEST(Completion, ZshReadsItsScript) { expect_syntax("zsh"); }

TEST(Completion, FishReadsItsScript) { expect_syntax("fish"); }

TEST(Completion, RefusesOtherShells) {
  expect_error(phasor_command({"completion", "tcsh"}), 2, {"'tcsh'", "zsh"});
  expect_error(phasor_command({"completion", "powershell"}), 2, {"'powershell'", "known: bash, zsh, fish"});
  expect_error(phasor_command({"completion"}), 2, {"needs shell"});
}

}  // namespace completion_test
}  // namespace phasor
