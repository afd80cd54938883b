#pragma once
// Runs that take a fraction of a second.
#include "cli/command.h"

namespace phasor {

inline Arguments tiny_settings() {
  Arguments arguments;
  for (const char* setting : {"task.gap=6", "task.sides=3", "task.vocabulary=16", "model.width=16", "model.hidden=32",
                              "model.heads=2", "model.layers=2", "train.steps=60", "train.batch=32", "data.train=512",
                              "data.test=32", "data.validation=32", "train.evaluation_samples=64"}) {
    arguments.insert(arguments.end(), {"--set", setting});
  }
  return arguments;
}

inline Arguments tiny_training(const std::filesystem::path& out, const Arguments& more = {}) {
  return Arguments{"train", "--out", out.string()} + tiny_settings() + more;
}

// The folder of a finished run.
inline std::filesystem::path train_tiny(const std::filesystem::path& out, const Arguments& more = {}) {
  const Outcome outcome = phasor_command(tiny_training(out, more));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(out / "result.json"));
  return out;
}

// Nothing that was being written when it stopped.
inline void expect_no_partial_files(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    EXPECT_EQ(entry.path().filename().string().find(".partial"), std::string::npos) << entry.path();
  }
}

inline void expect_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  EXPECT_TRUE(read_file(a) == read_file(b)) << a << " and " << b << " differ";
}

}  // namespace phasor
