#pragma once
// RUN and --step: which trained model a command works on.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "options/run_options.h"
#include "phasor/run/trained_model.h"

namespace phasor::app {

struct RunFolderOptions {
  std::string folder;
  std::optional<int64_t> step;  // a snapshot; nothing: the finished model

  // RUN may be left out where `required` is false: the command then looks itself.
  void add_to(CLI::App& command, const char* what = "a run folder made by 'phasor train'", bool required = true);
  Session open(Backend& backend) const;
  // With room for gradients, in fp32 whatever precision trained the model.
  Session open_for_gradients(Backend& backend) const;
};

}  // namespace phasor::app
