// Plugs pulled, files damaged, hands in the wrong place: nothing is lost, mixed up or silently wrong.
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/tiny_run.h"
#include "phasor/base/folder_claim.h"
#include "support/resealed.h"

namespace phasor {
namespace trouble_test {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing_support::read_json_of;
using testing_support::write_resealed;

Arguments tiny_study(const fs::path& out) {
  return Arguments{"study", "quick", "--encodings", "rope", "--seeds", "2", "--out", out.string()} + tiny_settings();
}

void put(const fs::path& path, const std::string& text) {
  fs::remove(path);
  std::ofstream(path, std::ios::binary) << text;
}

TEST(Claims, AFolderInUseIsLeftAlone) {
  const TemporaryFolder folder;
  const FolderClaim claim(folder / "run");
  put(folder / "run/state.safetensors.partial77", "of a rival that lives");
  expect_error(phasor_command(tiny_training(folder / "run")), 1, {"another process", "at work", "run"});
  expect_error(phasor_command(tiny_study(folder / "run")), 1, {"another process", "at work", "run"});
  EXPECT_EQ(read_file(folder / "run/state.safetensors.partial77"), "of a rival that lives");
  EXPECT_FALSE(fs::exists(folder / "run/config.json") || fs::exists(folder / "run/study.json"));
}

TEST(Claims, ARunInUseCannotBeResumedOrAblated) {
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "run");
  fs::remove(run / "result.json");
  {
    const FolderClaim claim(run);
    expect_error(phasor_command({"train", "--resume", "--out", run.string()}), 1, {"another process", "at work"});
    expect_error(phasor_command({"ablate", run.string(), "--samples", "20"}), 1, {"another process", "at work"});
  }
  EXPECT_EQ(phasor_command({"train", "--resume", "--out", run.string()}).code, 0);
  EXPECT_FALSE(fs::exists(run / ".claim"));
}

TEST(StudyStart, GoesOnWhereOneWasKilledBeforeItsFirstFile) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "study/runs");
  put(folder / "study/.claim", "somebody");
  put(folder / "study/study.json.partial123", "{");
  put(folder / "study/.writable123", "");
  const Outcome outcome = phasor_command(tiny_study(folder / "study"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  expect_no_partial_files(folder / "study");
  EXPECT_FALSE(fs::exists(folder / "study/.claim") || fs::exists(folder / "study/.writable123"));
  put(folder / "thesis.txt", "precious");
  expect_error(phasor_command(tiny_study(folder.path())), 2, {"holds something else"});
}

TEST(StudyStart, TakesAwayWhatKilledProcessesLeft) {
  const TemporaryFolder folder;
  const fs::path study = folder / "study";
  const Arguments command = tiny_study(study) + Arguments{"--measure", "ablation"};
  ASSERT_EQ(phasor_command(command).code, 0);
  const fs::path run = fs::directory_iterator(study / "runs")->path();
  put(study / "runs/.writable123", "");
  put(run / ".claim", "somebody");
  put(run / "metrics.jsonl.partial123", "{");
  // Killed between the last two steps of an ablation; another's work on the way is not touched.
  fs::copy_file(run / "ablation.safetensors", run / "ablation.0123abcd.partial.safetensors");
  put(run / "ablation.4567abcd.partial.safetensors", "of another plan, as far as anybody can read");
  EXPECT_EQ(phasor_command(command).code, 0);
  for (const char* gone : {"runs/.writable123", ".claim"}) EXPECT_FALSE(fs::exists(study / gone)) << gone;
  for (const char* gone : {".claim", "metrics.jsonl.partial123", "ablation.0123abcd.partial.safetensors"}) {
    EXPECT_FALSE(fs::exists(run / gone)) << gone;
  }
  EXPECT_TRUE(fs::exists(run / "ablation.4567abcd.partial.safetensors"));
}

class Reports : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome outcome = phasor_command(tiny_study(study_));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    for (const auto& entry : fs::directory_iterator(study_ / "runs")) runs_.push_back(entry.path());
    std::sort(runs_.begin(), runs_.end());
    summary_ = read_file(study_ / "summary.json");
  }

  // The report refuses, names the runs, and leaves the summary as it was.
  void expect_refused(const std::vector<std::string>& words) {
    const Outcome outcome = phasor_command({"report", study_.string()});
    EXPECT_EQ(outcome.code, 1);
    expect_words(last_line(outcome.err), {"can no longer be read", "left as they are"});
    for (const std::string& word : words) EXPECT_NE(outcome.err.find(word), std::string::npos) << outcome.err;
    EXPECT_EQ(read_file(study_ / "summary.json"), summary_);
    const Outcome text = phasor_command({"report", study_.string(), "--text"});
    EXPECT_EQ(text.code, 0);
  }

  TemporaryFolder temporary_;
  fs::path study_ = temporary_ / "study";
  std::vector<fs::path> runs_;
  std::string summary_;
};

TEST_F(Reports, DoNotForgetRunsThatAreGone) {
  fs::rename(study_ / "runs", study_ / "elsewhere");
  expect_refused({runs_[0].filename().string(), runs_[1].filename().string(), "no such finished run"});
}

TEST_F(Reports, DoNotForgetRunsThatCannotBeRead) {
  put(runs_[1] / "config.json", "{");
  expect_refused({"left out: rope", runs_[1].filename().string(), "config.json"});
}

TEST_F(Reports, OneRunsLoopOfLinksIsItsOwnTrouble) {
  fs::remove_all(runs_[0]);
  fs::create_symlink(runs_[0].filename(), runs_[0]);
  expect_refused({runs_[0].filename().string()});
  const Outcome again = phasor_command(tiny_study(study_));
  EXPECT_EQ(again.code, 1);
  expect_words(again.err, {"FAILED", "symbolic links"});
  EXPECT_EQ(read_file(study_ / "summary.json"), summary_);
}

TEST_F(Reports, WrongNumbersAreNotCounted) {
  const std::string result = read_file(runs_[0] / "result.json"), metrics = read_file(runs_[0] / "metrics.jsonl");
  const auto expect_with = [&](const char* key, const Json& value, const std::vector<std::string>& words) {
    Json json = Json::parse(result);
    json[key] = value;
    write_resealed(runs_[0] / "result.json", json);
    expect_refused(words);
    put(runs_[0] / "result.json", result);
  };
  expect_with("test_accuracy", 7, {"test_accuracy is 7"});
  expect_with("test_accuracy", -1, {"test_accuracy is -1"});
  expect_with("seed", 17, {"seed is 17"});
  expect_with("steps", 30, {"steps is 30"});
  expect_with("run", "0123456789abcdef", {"run is"});
  put(runs_[0] / "metrics.jsonl", read_file(runs_[1] / "metrics.jsonl"));
  expect_refused({"metrics.jsonl", "not the file that the run wrote"});
  put(runs_[0] / "metrics.jsonl", metrics.substr(0, metrics.find('\n') + 1));
  expect_refused({"metrics.jsonl", "not the file that the run wrote"});
  put(runs_[0] / "metrics.jsonl", metrics);
  // Without checksums, as older versions wrote them, what can be told is told.
  Json bare = Json::parse(result);
  for (const char* key : {"xxh64", "lines", "run"}) bare.erase(key);
  put(runs_[0] / "result.json", bare.dump());
  put(runs_[0] / "metrics.jsonl", metrics.substr(0, metrics.find('\n') + 1));
  expect_refused({"metrics.jsonl", "1 evaluations"});
  put(runs_[0] / "metrics.jsonl", metrics);
  const Outcome whole = phasor_command({"report", study_.string(), "--text"});
  EXPECT_EQ(whole.code, 0);
  EXPECT_EQ(whole.err.find("left out"), std::string::npos) << whole.err;
}

TEST_F(Reports, StayTheSameWhenRunsArePacked) {
  const Outcome before = phasor_command({"report", study_.string(), "--text"});
  const Outcome packed = phasor_command({"pack", study_.string()});
  ASSERT_EQ(packed.code, 0) << packed.err;
  expect_words(packed.out, {"2 runs packed"});
  EXPECT_FALSE(fs::exists(runs_[0] / "model.safetensors") || fs::exists(runs_[0] / "state.safetensors"));
  EXPECT_EQ(phasor_command({"report", study_.string(), "--text"}).out, before.out);
  EXPECT_EQ(phasor_command(tiny_study(study_)).code, 0) << "nothing is trained again";
  EXPECT_FALSE(fs::exists(runs_[0] / "model.safetensors"));
  EXPECT_EQ(phasor_command({"pack", study_.string()}).code, 0);
  expect_error(phasor_command({"evaluate", runs_[0].string()}), 2,
               {"was packed", "on purpose", "phasor train --config"});
  // Without the mark the same is damage.
  Json result = read_json_of(runs_[0] / "result.json");
  result.erase("packed");
  write_resealed(runs_[0] / "result.json", result);
  expect_refused({"model.safetensors", "missing"});
}

TEST(Checksums, AFlippedBitOfAnyFileIsNoticed) {
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "run", {"--set", "train.snapshots=20"});
  for (const auto& [name, command] :
       {std::pair("model.safetensors", Arguments{"evaluate", run.string()}),
        std::pair("config.json", Arguments{"evaluate", run.string()}),
        std::pair("result.json", Arguments{"stability", run.string()}),
        std::pair("metrics.jsonl", Arguments{"stability", run.string()}),
        std::pair("snapshots/step_000020.safetensors", Arguments{"evaluate", run.string(), "--step", "20"})}) {
    const std::string whole = read_file(run / name);
    for (size_t i = 0; i < 5; ++i) {
      std::string damaged = whole;
      damaged[(2 * i + 1) * whole.size() / 10] ^= static_cast<char>(1 << i);
      put(run / name, damaged);
      const Outcome outcome = phasor_command(command);
      EXPECT_EQ(outcome.code, 1) << name << " " << i << ": " << outcome.out;
    }
    put(run / name, whole);
    EXPECT_EQ(phasor_command(command).code, 0);
  }
  const std::string state = read_file(run / "state.safetensors");
  fs::remove(run / "result.json");
  for (size_t i = 0; i < 10; ++i) {
    std::string damaged = state;
    damaged[(2 * i + 1) * state.size() / 20] ^= 4;
    put(run / "state.safetensors", damaged);
    expect_error(phasor_command({"train", "--resume", "--out", run.string()}), 1, {"state.safetensors"});
  }
}

// Seconds from the signal to the end of the process.
double seconds_to_end(const Arguments& arguments, int number, double before) {
  const pid_t process = fork();
  if (process == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    become_phasor(arguments, nowhere, nowhere);
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(before));
  const auto sent = std::chrono::steady_clock::now();
  kill(process, number);
  int status = 0;
  waitpid(process, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - sent).count();
}

TEST(Signals, ActBeforeTheFirstStepToo) {
  const TemporaryFolder folder;
  const Arguments data = {"train", "--force",
                          "--out", (folder / "run").string(),
                          "--set", "data.train=100000000",
                          "--set", "task.vocabulary=500"};
  EXPECT_LT(seconds_to_end(data, SIGTERM, 0.5), 5.0) << "two seconds, and some for a busy machine";
  EXPECT_FALSE(fs::exists(folder / "run")) << "nothing had begun";
  const Arguments study = {"study",
                           "quick",
                           "--force",
                           "--encodings",
                           "rope",
                           "--seeds",
                           "2",
                           "--out",
                           (folder / "study").string(),
                           "--set",
                           "data.train=100000000",
                           "--set",
                           "task.vocabulary=500"};
  EXPECT_LT(seconds_to_end(study, SIGINT, 0.5), 5.0);
  EXPECT_TRUE(fs::is_empty(folder / "study/runs"));
}

TEST(Sizes, AreSaidBeforehand) {
  const TemporaryFolder folder;
  expect_error(phasor_command({"train", "--out", (folder / "run").string(), "--set", "model.width=65536", "--set",
                               "model.hidden=262144", "--set", "model.layers=64"}),
               1, {"needs about", "GB of memory", "there are", "--force"});
  expect_error(phasor_command({"train", "--out", (folder / "run").string(), "--set", "train.steps=2000000000", "--set",
                               "model.width=2048", "--set", "model.layers=24"}),
               1, {"takes at least", "years", "--force"});
  expect_error(phasor_command({"study", "quick", "--encodings", "rope", "--out", (folder / "run").string(), "--set",
                               "data.train=2000000000", "--set", "task.vocabulary=500"}),
               1, {"memory", "rope", "--force"});
  EXPECT_EQ(folder.files(), 0u);
}

TEST(Sizes, ASmallRoomGivesALine) {
  const TemporaryFolder folder;
  for (const rlim_t megabytes : {150, 250, 350}) {
    const pid_t process = fork();
    if (process == 0) {
      const rlimit limit{megabytes << 20, megabytes << 20};
      setrlimit(RLIMIT_AS, &limit);
      const int out = open("/dev/null", O_WRONLY);
      const int err = open((folder / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      become_phasor({"train", "--preset", "quick", "--force", "--out", (folder / "run").string(), "--set",
                     "data.train=3000000", "--set", "task.vocabulary=500"},
                    out, err);
    }
    int status = 0;
    waitpid(process, &status, 0);
    const std::string err = read_file(folder / "err");
    // Below some size not even the loader finds room for the libraries.
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) continue;
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << megabytes << " MB: status " << status << ", " << err;
    expect_words(err, {"phasor: out of memory"});
  }
}

TEST(Inputs, ThatMayNeverEndAreRefused) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const std::string& path : {std::string("/dev/zero"), (folder / "pipe").string()}) {
    expect_error(phasor_command({"train", "--dry-run", "--config", path}), 1, {path, "not a regular file"});
    expect_error(phasor_command({"study", path, "--out", (folder / "s").string()}), 1, {path, "not a regular file"});
  }
}

// phasor ... | head -1
TEST(Outputs, AReaderThatGoesAwayIsNoFailure) {
  const TemporaryFolder folder;
  for (const Arguments& arguments :
       {Arguments{"encodings"}, tiny_training(folder / "run"), Arguments{"train", "--keys"}}) {
    std::array<int, 2> ends;
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    const pid_t process = fork();
    if (process == 0) become_phasor(arguments, ends[1], ends[1]);
    close(ends[1]);
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << arguments[0] << ": " << status;
  }
  EXPECT_TRUE(fs::exists(folder / "run/result.json"));
}

TEST(Outputs, AFullOneIsAFailure) {
  for (const Arguments& arguments : {Arguments{"encodings"}, Arguments{"--help"}, Arguments{"tasks", "--json"}}) {
    const Outcome outcome = phasor_command(arguments, "/dev/full");
    EXPECT_EQ(outcome.code, 1) << arguments[0];
    expect_words(outcome.err, {"cannot write the output", "No space left"});
  }
}

// phasor ... >&-
TEST(Outputs, AClosedOneIsAFailure) {
  const TemporaryFolder folder;
  for (const Arguments& arguments :
       {Arguments{"encodings"}, Arguments{"encodings", "rope"}, Arguments{"--help"}, Arguments{"tasks", "--json"}}) {
    expect_error(phasor_command(arguments, kClosed), 1, {"cannot write the output", "Bad file descriptor"});
  }
  // Its line comes after those of the progress, and the work is done all the same.
  const auto expect_said = [](const Arguments& arguments) {
    const Outcome outcome = phasor_command(arguments, kClosed);
    EXPECT_EQ(outcome.code, 1) << arguments[0] << ": " << outcome.err;
    EXPECT_EQ(last_line(outcome.err), "phasor: cannot write the output: Bad file descriptor\n") << outcome.err;
    const size_t first = outcome.err.find("phasor: ");
    EXPECT_EQ(outcome.err.find("phasor: ", first + 1), std::string::npos) << outcome.err;
  };
  const fs::path run = folder / "run", whole = train_tiny(folder / "whole"), study = folder / "study";
  expect_said(tiny_training(run));
  for (const char* file : {"config.json", "metrics.jsonl", "model.safetensors"}) {
    expect_same_file(run / file, whole / file);
  }
  const Outcome again = phasor_command({"train", "--resume", "--out", run.string()});
  EXPECT_EQ(again.code, 0) << again.err;
  expect_words(again.err, {"is complete already"});
  expect_said({"evaluate", run.string()});
  expect_said(tiny_study(study));
  const Outcome repeated = phasor_command(tiny_study(study));
  EXPECT_EQ(repeated.code, 0) << repeated.err;
  const std::string summary = read_file(study / "summary.json");
  expect_said({"report", study.string()});
  expect_said({"report", study.string(), "--text"});
  EXPECT_EQ(read_file(study / "summary.json"), summary);
  expect_no_partial_files(folder.path());
}

TEST(Outputs, NamesDoNotSteerTheTerminal) {
  const TemporaryFolder folder;
  const fs::path odd = folder /
                       "a\x1b[2J\rb\x9b"
                       "31m\x7f";
  const Outcome outcome = phasor_command(tiny_training(odd));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Outcome again = phasor_command({"train", "--resume", "--out", odd.string()});
  const Outcome missing = phasor_command({"evaluate", (odd / "none").string()});
  for (const std::string& text : {outcome.out, outcome.err, again.err, missing.err}) {
    for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c != 0x7f)) << text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
  }
  expect_words(outcome.out, {"a\\x1b[2J\\x0db"});
}

}  // namespace trouble_test
}  // namespace phasor
