// A disk that cannot bring folders to rest, and one whose locks fail: both are said, and nothing is lost
// (tests/faults/fault_layer.cpp lets one call fail).
#include <cerrno>
#include <map>
#include <sstream>
#include <string_view>

#include "cli/tiny_run.h"
#include "support/paths.h"

namespace phasor {
namespace failing_call_test {

namespace fs = std::filesystem;

class FailingCall : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string_view(fault_layer()).empty()) {
      GTEST_SKIP() << "the sanitizers have a layer of their own under the program";
    }
  }

  // `faults`: as fault_layer.cpp reads them.
  Outcome with(const std::map<std::string, std::string>& faults, const Arguments& arguments) const {
    setenv("LD_PRELOAD", fault_layer(), 1);
    setenv("PHASOR_FAULT_UNDER", folder_.path().c_str(), 1);
    for (const auto& [name, value] : faults) setenv(name.c_str(), value.c_str(), 1);
    const Outcome outcome = phasor_command(arguments);
    for (const auto& fault : faults) unsetenv(fault.first.c_str());
    unsetenv("PHASOR_FAULT_UNDER");
    unsetenv("LD_PRELOAD");
    return outcome;
  }

  Outcome failing(const std::string& call, int number, int code, const Arguments& arguments) const {
    return with({{"PHASOR_FAULT", call + ":" + std::to_string(number) + ":" + std::to_string(code)}}, arguments);
  }

  // How often it is called when nothing fails.
  int calls(const std::string& call, const Arguments& arguments) const {
    const TemporaryFolder elsewhere;
    EXPECT_EQ(with({{"PHASOR_FAULT_COUNTS", (elsewhere / "counts").string()}}, arguments).code, 0);
    std::istringstream lines(read_file(elsewhere / "counts"));
    std::string name;
    for (int count = 0; lines >> name >> count;) {
      if (name == call) return count;
    }
    return 0;
  }

  static Arguments training(const fs::path& out) {
    return tiny_training(out, {"--resume", "--set", "train.snapshots=20", "--set", "train.checkpoint_every=30"});
  }
  static Arguments study(const fs::path& out) {
    return Arguments{"study", "quick", "--encodings", "rope", "--seeds", "2", "--jobs", "1", "--out", out.string()} +
           tiny_settings();
  }

  static void expect_unsynced(const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    expect_words(last_line(outcome.err), {"phasor: ", "cannot bring '", "to the disk: Input/output error"});
  }

  TemporaryFolder folder_;
};

TEST_F(FailingCall, ToBringAFolderToTheDiskIsSaid) {
  const fs::path whole = folder_ / "whole", run = folder_ / "run";
  const int count = calls("fsync_folder", training(whole));
  EXPECT_GE(count, 5) << "for config.json, a snapshot, the state, the model and the result";
  for (int number = 1; number <= count; ++number) {
    expect_unsynced(failing("fsync_folder", number, EIO, training(run)));
    const Outcome again = phasor_command(training(run));
    EXPECT_EQ(again.code, 0) << number << ": " << again.err;
    for (const char* file :
         {"config.json", "metrics.jsonl", "model.safetensors", "snapshots/step_000020.safetensors"}) {
      expect_same_file(run / file, whole / file);
    }
    expect_no_partial_files(run);
    EXPECT_FALSE(fs::exists(run / ".claim"));
    fs::remove_all(run);
  }
  // A file system that has no such thing is no reason not to train.
  for (const int code : {EINVAL, ENOTSUP, EINTR}) {
    EXPECT_EQ(failing("fsync_folder", 1, code, training(run)).code, 0) << code;
    fs::remove_all(run);
  }
}

TEST_F(FailingCall, ToBringAFolderToTheDiskIsSaidByEveryCommandThatWrites) {
  const fs::path run = train_tiny(folder_ / "run");
  for (const Arguments& arguments :
       {Arguments{"spectrum", run.string()}, Arguments{"ablate", run.string(), "--samples", "20"},
        Arguments{"export", run.string(), "--out", (folder_ / "x.safetensors").string()}, study(folder_ / "study")}) {
    expect_unsynced(failing("fsync_folder", 1, EIO, arguments));
    const Outcome again = phasor_command(arguments);
    EXPECT_EQ(again.code, 0) << arguments[0] << ": " << again.err;
  }
  const std::string summary = read_file(folder_ / "study/summary.json");
  for (const char* command : {"report", "pack"}) {
    expect_unsynced(failing("fsync_folder", 1, EIO, {command, (folder_ / "study").string()}));
    EXPECT_EQ(read_file(folder_ / "study/summary.json"), summary);
    EXPECT_EQ(phasor_command({command, (folder_ / "study").string()}).code, 0) << command;
  }
}

TEST_F(FailingCall, ToLockIsSaid) {
  const fs::path run = train_tiny(folder_ / "run");
  for (const Arguments& arguments : {tiny_training(folder_ / "new"), study(folder_ / "new")}) {
    expect_error(failing("flock", 1, EIO, arguments), 1, {"cannot lock", "new", "Input/output error"});
    EXPECT_EQ(folder_.files(), 1u) << "nothing had begun";
  }
  expect_error(failing("flock", 1, EIO, {"ablate", run.string(), "--samples", "20"}), 1,
               {"cannot lock", "run", "Input/output error"});
  fs::remove(run / "result.json");
  const std::string state = read_file(run / "state.safetensors");
  expect_error(failing("flock", 1, EIO, {"train", "--resume", "--out", run.string()}), 1,
               {"cannot lock", "run", "Input/output error"});
  EXPECT_EQ(read_file(run / "state.safetensors"), state);
  EXPECT_FALSE(fs::exists(run / ".claim"));
  // Disks without locks exist, and calls are interrupted.
  for (const int code : {ENOLCK, EOPNOTSUPP, EINTR}) {
    EXPECT_EQ(failing("flock", 1, code, tiny_training(folder_ / "new")).code, 0) << code;
    fs::remove_all(folder_ / "new");
  }
  EXPECT_EQ(phasor_command({"train", "--resume", "--out", run.string()}).code, 0);
}

}  // namespace failing_call_test
}  // namespace phasor
