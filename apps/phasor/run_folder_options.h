#pragma once
// RUN and --step: which trained model a command works on.
#include <CLI/CLI.hpp>
#include <string>

#include "phasor/train/run_folder.h"
#include "phasor/train/session.h"
#include "run_options.h"

namespace phasor::app {

struct RunFolderOptions {
  std::string folder;
  std::string step;  // a snapshot; empty: the finished model

  void add_to(CLI::App& command, const char* what = "a run folder made by 'phasor train'");
  Session open(Backend& backend) const;
  // With room for gradients, in fp32 whatever precision trained the model.
  Session open_for_gradients(Backend& backend) const;

 private:
  Session open(Backend& backend, bool gradients) const;
  std::string model_name(const RunFolder& run, const RunConfig& config) const;
};

}  // namespace phasor::app
