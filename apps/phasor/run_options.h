#pragma once
// The options that name a run, shared by train and bench.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "phasor/engine/backend.h"
#include "phasor/train/config_builder.h"

namespace phasor::app {

struct RunOptions {
  std::string task, encoding, preset, protocol, seed;
  std::vector<std::string> files, sets;

  void add_to(CLI::App& command);
  // Nothing was said about the configuration.
  bool empty() const;
  ConfigBuilder builder() const;
};

// --device and --threads
struct DeviceOptions {
  std::string device = "cpu";
  int threads = 0;  // 0: all cores

  void add_to(CLI::App& command);
  std::unique_ptr<Backend> open() const;
};

}  // namespace phasor::app
