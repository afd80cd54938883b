// A run that was stopped and goes on ends with the same bits as one that never stopped.
#include <nlohmann/json.hpp>
#include <set>

#include "cli/tiny_run.h"
#include "phasor/checkpoint/safetensors.h"
#include "support/paths.h"

namespace phasor {
namespace resume_test {

namespace fs = std::filesystem;

class Resume : public testing::Test {
 protected:
  // A line of progress every 2 of 300 steps: more than twice what the pipe of RunningPhasor takes. Dropout, because
  // its masks must not depend on where a sitting began.
  Arguments training(const fs::path& out, const Arguments& more = {}) const {
    Arguments arguments = tiny_training(out, more);
    for (const char* setting : {"train.steps=300", "train.evaluate_every=2", "train.evaluation_samples=16",
                                "train.batch=16", "data.test=16", "model.dropout=0.1", "train.snapshots=30,290"}) {
      arguments.insert(arguments.end(), {"--set", setting});
    }
    return arguments;
  }

  Outcome stop_in_mid_run(int number, const Arguments& more = {}) {
    RunningPhasor phasor(training(stopped_, more));
    EXPECT_TRUE(phasor.wait_for("step 40/300"));
    const Outcome outcome = phasor.finish(number);
    EXPECT_FALSE(fs::exists(stopped_ / "result.json")) << "it was not stopped in mid-run";
    EXPECT_FALSE(fs::exists(stopped_ / "model.safetensors"));
    return outcome;
  }

  void resume_and_compare(const Arguments& more = {}) {
    ASSERT_EQ(phasor_command(training(never_stopped_, more)).code, 0);
    const Outcome outcome = phasor_command({"train", "--resume", "--out", stopped_.string()});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (const char* file : {"config.json", "model.safetensors", "metrics.jsonl", "snapshots/step_000030.safetensors",
                             "snapshots/step_000290.safetensors"}) {
      expect_same_file(stopped_ / file, never_stopped_ / file);
    }
    EXPECT_TRUE(fs::exists(stopped_ / "result.json"));
    expect_no_partial_files(stopped_);
  }

  TemporaryFolder folder_;
  fs::path stopped_ = folder_ / "stopped";
  fs::path never_stopped_ = folder_ / "never_stopped";
};

TEST_F(Resume, AfterInterrupt) {
  const Outcome outcome = stop_in_mid_run(SIGINT);
  EXPECT_EQ(outcome.code, 1) << "signal " << outcome.signal;
  expect_words(last_line(outcome.err),
               {"phasor: interrupted at step ", "state saved", "phasor train --resume --out " + stopped_.string()});
  EXPECT_TRUE(fs::exists(stopped_ / "state.safetensors"));
  expect_no_partial_files(stopped_);
  resume_and_compare();
}

TEST_F(Resume, AfterTermination) {
  const Outcome outcome = stop_in_mid_run(SIGTERM);
  EXPECT_EQ(outcome.code, 1) << "signal " << outcome.signal;
  expect_words(last_line(outcome.err), {"interrupted at step ", "--resume"});
  resume_and_compare();
}

TEST_F(Resume, AfterHangup) {
  EXPECT_EQ(stop_in_mid_run(SIGHUP).code, 1);
  EXPECT_TRUE(fs::exists(stopped_ / "state.safetensors"));
}

TEST_F(Resume, AfterKill) {
  const Arguments often = {"--set", "train.checkpoint_every=30"};
  EXPECT_EQ(stop_in_mid_run(SIGKILL, often).signal, SIGKILL);
  EXPECT_TRUE(fs::exists(stopped_ / "state.safetensors"));
  resume_and_compare(often);
}

TEST_F(Resume, AfterKillBeforeTheFirstState) {
  EXPECT_EQ(stop_in_mid_run(SIGKILL).signal, SIGKILL);
  EXPECT_FALSE(fs::exists(stopped_ / "state.safetensors"));
  EXPECT_GT(read_file(stopped_ / "metrics.jsonl").size(), 0u);
  resume_and_compare();
}

TEST_F(Resume, AfterTwoStops) {
  stop_in_mid_run(SIGINT);
  {
    RunningPhasor phasor({"train", "--resume", "--out", stopped_.string()});
    ASSERT_TRUE(phasor.wait_for("/300"));
    EXPECT_EQ(phasor.finish(SIGTERM).code, 1);
  }
  EXPECT_FALSE(fs::exists(stopped_ / "result.json")) << "it was not stopped in mid-run";
  resume_and_compare();
}

// What a kill in the middle of a write leaves.
TEST_F(Resume, AfterKillWhileWriting) {
  const Arguments often = {"--set", "train.checkpoint_every=30"};
  stop_in_mid_run(SIGKILL, often);
  const std::string metrics = read_file(stopped_ / "metrics.jsonl");
  write_file_atomically(stopped_ / "metrics.jsonl", metrics + R"({"step":9999,"tok)");
  write_file_atomically(stopped_ / "state.safetensors.partial4711", "half a state");
  write_file_atomically(stopped_ / "snapshots/step_000290.safetensors.partial4711", "half a snapshot");
  resume_and_compare(often);
}

TEST_F(Resume, AfterKillBeforeTheConfiguration) {
  fs::create_directory(stopped_);
  write_file_atomically(stopped_ / "config.json.partial4711", "{");
  EXPECT_EQ(phasor_command(tiny_training(stopped_)).code, 0);
  expect_no_partial_files(stopped_);
}

TEST_F(Resume, AfterKillBeforeTheResult) {
  ASSERT_EQ(phasor_command(training(stopped_)).code, 0);
  fs::remove(stopped_ / "result.json");
  resume_and_compare();
}

TEST_F(Resume, TheSameCommandStartsAndGoesOn) {
  const Arguments command = training(stopped_) + Arguments{"--resume"};
  {
    RunningPhasor phasor(command);
    ASSERT_TRUE(phasor.wait_for("step 40/300"));
    phasor.finish(SIGINT);
  }
  EXPECT_EQ(phasor_command(command).code, 0);
  resume_and_compare();
}

TEST_F(Resume, OneProcessAtATime) {
  RunningPhasor first(training(stopped_));
  ASSERT_TRUE(first.wait_for("step 40/300"));
  expect_error(phasor_command({"train", "--resume", "--out", stopped_.string()}), 1,
               {"another process", "another --out"});
  first.finish(SIGINT);
  resume_and_compare();
}

// docs/formats.md, "Interrupting and resuming": exactly this may differ.
TEST_F(Resume, WhatMayDifferIsNamed) {
  stop_in_mid_run(SIGINT);
  ASSERT_EQ(phasor_command(training(never_stopped_)).code, 0);
  ASSERT_EQ(phasor_command({"train", "--resume", "--threads", "2", "--out", stopped_.string()}).code, 0);
  const std::string document = read_file(fs::path(fixtures_folder()) / "../../docs/formats.md");
  const size_t begin = document.find("## Interrupting and resuming");
  const std::string contract = document.substr(begin, document.find("\n* ", document.find("\n* ", begin) + 1) - begin);
  expect_words(contract, {"`seconds`", "`tokens_per_second`", "`device`", "`xxh64`", "`progress`"});

  using Json = nlohmann::ordered_json;
  const Json before = Json::parse(read_file(never_stopped_ / "result.json"));
  const Json after = Json::parse(read_file(stopped_ / "result.json"));
  std::set<std::string> differing;
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [name, value] : before.items()) {
    if (after.at(name) != value) differing.insert(name);
  }
  EXPECT_EQ(differing, (std::set<std::string>{"seconds", "tokens_per_second", "device", "xxh64"}));

  const SafetensorsFile one = SafetensorsFile::open(never_stopped_ / "state.safetensors");
  const SafetensorsFile other = SafetensorsFile::open(stopped_ / "state.safetensors");
  ASSERT_EQ(one.names(), other.names());
  for (const auto& [name, value] : one.metadata()) {
    if (name == "xxh64") continue;
    EXPECT_EQ(other.metadata().at(name), value) << name;
  }
  for (const std::string& name : one.names()) {
    if (name == "progress") continue;
    const auto bytes = one.bytes(name), resumed = other.bytes(name);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), resumed.begin(), resumed.end())) << name;
  }
  const auto progress = one.data<double>("progress", {5}), resumed = other.data<double>("progress", {5});
  for (const size_t i : {0u, 1u, 3u, 4u}) EXPECT_EQ(progress[i], resumed[i]) << i;
}

// With its standard output and error closed, a process must not take the run's files for them.
TEST_F(Resume, WithoutAnyOutput) {
  const pid_t process = fork();
  if (process == 0) {
    for (const int descriptor : {0, 1, 2}) close(descriptor);
    setenv("OMP_NUM_THREADS", "1", 1);
    const Arguments words = training(stopped_);
    std::vector<char*> argv = {const_cast<char*>("phasor")};
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execv(phasor_binary(), argv.data());
    _exit(127);
  }
  int status = 0;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status << ": its last line could not be printed";
  resume_and_compare();
}

}  // namespace resume_test
}  // namespace phasor
