#pragma once
// The options that name a run, shared by train and bench.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "phasor/engine/devices.h"
#include "phasor/run/config_builder.h"

namespace phasor::app {

struct RunOptions {
  std::string task, encoding, preset, protocol, seed;
  std::string match;  // an encoding whose number of parameters is to be had
  std::vector<std::string> files, sets;

  void add_to(CLI::App& command);
  // Nothing was said about the configuration.
  bool empty() const;
  // With `base`, a config.json, its values hold where the options say nothing.
  ConfigBuilder builder(const std::string& base = "") const;
};

// --device and --threads
struct DeviceOptions {
  std::string device{kDefaultDevice};
  std::optional<int64_t> threads;  // nothing: all cores

  void add_to(CLI::App& command);
  std::unique_ptr<Backend> open() const;
};

}  // namespace phasor::app
