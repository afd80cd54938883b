#pragma once
// What all commands that run studies take.
#include <CLI/CLI.hpp>
#include <string>

#include "phasor/study/study_runner.h"

namespace phasor::app {

struct StudyOptions {
  std::string out;
  std::string jobs, threads;  // of each job
  std::string device = "cpu";
  bool dry_run = false;
  bool json = false;
  bool force = false;

  void add_to(CLI::App& command, const std::string& default_out);
  // Throws UsageError.
  RunnerOptions runner(const StudyPlan& plan) const;
};

}  // namespace phasor::app
