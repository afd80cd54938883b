#pragma once
// What all commands that run studies take.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "phasor/study/carry_out/study_runner.h"

namespace phasor::app {

struct StudyOptions {
  std::string out;
  std::optional<int64_t> jobs, threads;  // of each job
  std::string device{kDefaultDevice};
  bool dry_run = false;
  bool json = false;
  bool force = false;

  // `shown_out`: what help calls the default where the command finds it later.
  void add_to(CLI::App& command, const std::string& default_out, const std::string& shown_out = "");
  // Throws UsageError.
  RunnerOptions runner(const StudyPlan& plan) const;
};

}  // namespace phasor::app
