// A disk that fills up: a message, and every file whole.
#include <sched.h>
#include <sys/mount.h>

#include <fstream>

#include "cli/tiny_run.h"
#include "phasor/checkpoint/safetensors.h"

namespace phasor {
namespace full_disk_test {

namespace fs = std::filesystem;

// A file system of 64 KiB that this process and its children alone can see.
class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", folder_.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
      GTEST_SKIP() << "this process may not mount a small file system";
    }
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) umount2(folder_.path().c_str(), MNT_DETACH);
  }

  TemporaryFolder folder_;
  bool mounted_ = false;
};

const Arguments kSmall = {"--set",         "train.checkpoint_every=10", "--set", "train.evaluate_every=10", "--set",
                          "model.layers=1"};

// 37 KiB of state fit once, not twice: the second save, written beside the first, fails.
TEST_F(FullDisk, InMidRun) {
  const Outcome outcome = phasor_command(tiny_training(folder_ / "run", kSmall));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  expect_words(last_line(outcome.err), {"phasor: cannot write", "state.safetensors", "No space left on device",
                                        "make room", "phasor train --resume --out"});
  EXPECT_FALSE(fs::exists(folder_ / "run/result.json"));
  expect_no_partial_files(folder_.path());
  const SafetensorsFile state = SafetensorsFile::open(folder_ / "run/state.safetensors");
  EXPECT_EQ(state.data<double>("progress", {5})[0], 10.0);

  const TemporaryFolder roomy;
  fs::copy(folder_ / "run", roomy / "run");
  EXPECT_EQ(phasor_command({"train", "--resume", "--out", (roomy / "run").string()}).code, 0);
  const fs::path whole = train_tiny(roomy / "whole", kSmall);
  expect_same_file(roomy / "run/model.safetensors", whole / "model.safetensors");
  expect_same_file(roomy / "run/metrics.jsonl", whole / "metrics.jsonl");
}

TEST_F(FullDisk, FromTheStart) {
  {
    std::ofstream filler(folder_ / "filler");
    filler << std::string(1 << 20, 'x');
  }
  const Outcome outcome = phasor_command(tiny_training(folder_ / "run", kSmall));
  expect_error(outcome, 1, {"run", "No space left on device"});
  EXPECT_FALSE(fs::exists(folder_ / "run"));
}

TEST_F(FullDisk, Export) {
  const TemporaryFolder roomy;
  const fs::path run = train_tiny(roomy / "run");
  const Outcome outcome =
      phasor_command({"export", run.string(), "--samples", "32", "--out", (folder_ / "x.safetensors").string()});
  expect_error(outcome, 1, {"x.safetensors", "No space left on device"});
  EXPECT_EQ(folder_.files(), 0u);
}

// 64 KiB hold one run and the beginning of the next.
TEST_F(FullDisk, OfAStudyKeepsWhatIsDone) {
  const Arguments study = Arguments{"study",
                                    "quick",
                                    "--encodings",
                                    "rope",
                                    "alibi",
                                    "--seeds",
                                    "1",
                                    "--jobs",
                                    "1",
                                    "--out",
                                    (folder_ / "study").string()} +
                          tiny_settings() + Arguments{"--set", "model.layers=1", "--set", "model.hidden=16"};
  const Outcome outcome = phasor_command(study);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  expect_words(last_line(outcome.err), {"No space left on device", "make room, then rerun the command to resume"});
  expect_no_partial_files(folder_.path());
  const TemporaryFolder roomy;
  fs::copy(folder_ / "study", roomy / "study", fs::copy_options::recursive);
  Arguments again = study;
  *(std::find(again.begin(), again.end(), "--out") + 1) = (roomy / "study").string();
  const Outcome rest = phasor_command(again);
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_TRUE(fs::exists(roomy / "study/summary.json"));
}

}  // namespace full_disk_test
}  // namespace phasor
