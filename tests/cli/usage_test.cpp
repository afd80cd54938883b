// Slips at the command line: one line, exit code 2, and the way out.
#include "cli/tiny_run.h"

namespace phasor {
namespace usage_test {

struct Slip {
  const char* name;
  Arguments arguments;
  std::vector<std::string> words;
};

void PrintTo(const Slip& slip, std::ostream* stream) { *stream << slip.name; }

class Usage : public testing::TestWithParam<Slip> {};

TEST_P(Usage, IsExplained) {
  const Outcome outcome = phasor_command(GetParam().arguments);
  expect_error(outcome, 2, {});
  for (const std::string& word : GetParam().words) expect_words(outcome.err, {word});
}

INSTANTIATE_TEST_SUITE_P(
    Commands, Usage,
    testing::Values(Slip{"Command", {"trian"}, {"no command 'trian'", "did you mean 'train'"}},
                    Slip{"CommandHelp", {"trian", "--help"}, {"did you mean 'train'"}},
                    Slip{"FarCommand", {"zzzzzz"}, {"known: train, evaluate, export"}},
                    Slip{"TopOption", {"--verison"}, {"'phasor' has no option", "did you mean '--version'"}},
                    Slip{"SubcommandMissing", {"bench"}, {"'phasor bench' needs a command", "step"}},
                    Slip{"Subcommand", {"bench", "stop"}, {"no command 'stop'", "did you mean 'step'"}},
                    Slip{"Argument", {"tasks", "distance", "more"}, {"'more'", "phasor tasks --help"}},
                    Slip{"SecondRun", {"evaluate", "a", "b"}, {"'b'", "phasor evaluate --help"}},
                    Slip{"RunMissing", {"evaluate"}, {"needs RUN", "run folder"}},
                    Slip{"ExportOutMissing", {"export", "r"}, {"needs --out"}}),
    [](const auto& slip) { return slip.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Options, Usage,
    testing::Values(
        Slip{"Option", {"train", "--encodng", "rope"}, {"'phasor train'", "--encodng", "did you mean '--encoding'"}},
        Slip{"OptionWithEquals", {"train", "--sead=1"}, {"--sead", "did you mean '--seed'"}},
        Slip{"DeepOption", {"bench", "step", "--prcision", "bf16"}, {"'phasor bench step'", "'--precision'"}},
        Slip{"ShortOption", {"train", "-o", "x"}, {"no option -o", "--out"}},
        Slip{"ValueMissing", {"train", "--encoding"}, {"--encoding needs a value"}},
        Slip{"EmptyValue", {"train", "--preset", ""}, {"--preset", "empty"}},
        Slip{"EmptyOut", {"train", "--out", ""}, {"--out", "empty"}},
        Slip{"Twice", {"train", "--seed", "1", "--seed", "2"}, {"--seed is given 2 times"}},
        Slip{"SwitchWithValue", {"train", "--resume=maybe"}, {"--resume", "switch"}},
        Slip{"BareSetting", {"train", "model.width=4"}, {"'model.width=4'", "--set"}},
        Slip{"LineBreak", {"train", "--task", "a\nb"}, {"'a\\nb'"}},
        Slip{"Escape", {"train", "--set", "\x1b[31m=1"}, {"\\x1b[31m"}}),
    [](const auto& slip) { return slip.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Settings, Usage,
    testing::Values(
        Slip{"Task", {"train", "--task", "distnace"}, {"task", "did you mean 'distance'"}},
        Slip{"Preset", {"train", "--preset", "quik"}, {"preset", "did you mean 'quick'"}},
        Slip{"Protocol", {"train", "--protocol", "relesed"}, {"did you mean 'released'"}},
        Slip{"SetWithoutEquals", {"train", "--set", "model.width"}, {"--set model.width", "--set model.width=128"}},
        Slip{"SetWithoutKey", {"train", "--set", "=3"}, {"a key and a value are needed"}},
        Slip{"SetWithoutValue", {"train", "--set", "model.width="}, {"model.width", "not a whole number"}},
        Slip{"KeyInGroup", {"train", "--set", "model.zzzzzzzzz=3"}, {"model.width", "model.heads"}},
        Slip{"KeyWithoutGroup", {"train", "--set", "width=3"}, {"did you mean 'model.width'"}},
        Slip{"Real", {"train", "--set", "train.lr=fast"}, {"train.lr", "'fast' is not a number"}},
        Slip{"RealNan", {"train", "--set", "train.lr=nan"}, {"train.lr", "not a number"}},
        Slip{"Flag", {"train", "--set", "model.causal=yes"}, {"model.causal", "true", "false"}},
        Slip{"Seed", {"train", "--seed", "-1"}, {"seed", "0 to 18446744073709551615"}},
        Slip{"Device", {"train", "--device", "abacus", "--out", "/dev/null/x"}, {"abacus", "cpu"}},
        Slip{"BenchSteps", {"bench", "step", "--steps", "0"}, {"--steps", "1 to"}},
        Slip{"BenchBatch", {"bench", "step", "--batch", "-3"}, {"--batch", "at least 1"}}),
    [](const auto& slip) { return slip.param.name; });

TEST(Usage, ThreadsAreANumberFromOne) {
  const TemporaryFolder folder;
  for (const char* threads : {"0", "-1", "4097", "abc", "1.5", "99999999999999999999"}) {
    const Outcome outcome = phasor_command({"train", "--threads", threads, "--out", (folder / "run").string()});
    expect_error(outcome, 2, {"--threads", threads});
    EXPECT_FALSE(std::filesystem::exists(folder / "run")) << threads;
  }
}

TEST(Usage, WithoutWordsTheHelpComesAndFails) {
  const Outcome outcome = phasor_command({});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  expect_words(outcome.err, {"train", "evaluate", "Start with:"});
}

TEST(Usage, EveryCommandTeaches) {
  for (const Arguments& words : {Arguments{},
                                 {"train"},
                                 {"evaluate"},
                                 {"export"},
                                 {"bench"},
                                 {"bench", "step"},
                                 {"encodings"},
                                 {"tasks"},
                                 {"compare"},
                                 {"study"}}) {
    const Outcome outcome = phasor_command(words + Arguments{"--help"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    expect_words(outcome.out, {"Usage: phasor", "--help"});
    EXPECT_EQ(outcome.out.find("... ..."), std::string::npos) << "several values are shown by dots once";
  }
}

TEST(Usage, AnOutputThatCannotBeWrittenIsAFailure) {
  for (const Arguments& words : {Arguments{"encodings"}, {"tasks", "--json"}, {"--help"}, {"train", "--dry-run"}}) {
    const Outcome outcome = phasor_command(words, "/dev/full");
    expect_error(outcome, 1, {"cannot write the output", "No space left"});
  }
}

}  // namespace usage_test
}  // namespace phasor
