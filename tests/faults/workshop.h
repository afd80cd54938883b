#pragma once
// What all trials share: folders, and what runs that nothing happened to look like.
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "faults/process.h"

namespace phasor::faults {

// Files of a folder by their name in it, as far as they must be the same after any trouble.
using Files = std::map<std::string, std::string>;

class Workshop {
 public:
  explicit Workshop(const std::filesystem::path& root);

  const std::filesystem::path& root() const { return root_; }
  // A new folder that goes away with the trial.
  std::filesystem::path place() const;

  // A small run into `folder`, which also goes on with it; and a small study.
  static Words train(const std::filesystem::path& folder, int seed = 0);
  static Words study(const std::filesystem::path& folder);

  // What is wrong with the files of a run that ended well; empty where nothing is. A claim that could not be given back
  // may be left where that is said.
  std::string check_run(const std::filesystem::path& folder, int seed = 0, bool with_claim = false);
  std::string check_study(const std::filesystem::path& folder);

  const std::filesystem::path& whole_run(int seed = 0);  // with ablation and spectrum
  const std::filesystem::path& whole_study();
  double run_seconds();
  double study_seconds();
  // How often train calls each function of the fault layer.
  const std::map<std::string, int>& calls();

 private:
  std::filesystem::path root_;
  std::map<int, std::filesystem::path> runs_;
  std::map<int, Files> run_files_;
  std::filesystem::path study_;
  std::string study_summary_;
  double run_seconds_ = 0.0, study_seconds_ = 0.0;
  std::map<std::string, int> calls_;
};

// Reproducible: every trial has its own.
class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  int below(int count) { return static_cast<int>(engine_() % static_cast<uint64_t>(count)); }
  double share() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
  template <class List>
  const auto& one_of(const List& list) {
    return list[static_cast<size_t>(below(static_cast<int>(std::size(list))))];
  }

 private:
  std::mt19937_64 engine_;
};

// summary.json without what depends on the clock and the machine.
std::string timeless_summary(const std::filesystem::path& study);

}  // namespace phasor::faults
