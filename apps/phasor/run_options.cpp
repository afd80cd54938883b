#include "run_options.h"

#include "phasor/base/error.h"
#include "phasor/engine/threads.h"

namespace phasor::app {

void RunOptions::add_to(CLI::App& command) {
  command.add_option("--task", task, "Task to learn (see 'phasor tasks')");
  command.add_option("--encoding", encoding, "Positional encoding, e.g. rope, alibi, 'sinusoidal+rope', 'rope[heads=0-1]'");
  command.add_option("--preset", preset, "Sizes of task, model and training: quick (default), demo or paper");
  command.add_option("--protocol", protocol, "How things are done: clean (default)");
  command.add_option("--seed", seed, "Seed of initialisation and dropout (the data has its own: --set data.seed=1)");
  command.add_option("--config", files, "File of settings, JSON with comments; later ones win");
  command.add_option("--set", sets, "One setting, e.g. --set train.lr=3e-4; may be repeated");
}

bool RunOptions::empty() const {
  return task.empty() && encoding.empty() && preset.empty() && protocol.empty() && seed.empty() && files.empty() &&
         sets.empty();
}

ConfigBuilder RunOptions::builder() const {
  ConfigBuilder builder;
  for (const std::string& file : files) builder.add_file(file);
  const auto option = [&](const char* name, const char* key, const std::string& value) {
    if (!value.empty()) builder.add_option(name, key, value);
  };
  option("--task", "task", task);
  option("--encoding", "model.encoding", encoding);
  option("--preset", "preset", preset);
  option("--protocol", "protocol", protocol);
  option("--seed", "seed", seed);
  for (const std::string& assignment : sets) builder.add_set(assignment);
  return builder;
}

void DeviceOptions::add_to(CLI::App& command) {
  command.add_option("--device", device, "Where to compute: cpu")->capture_default_str();
  command.add_option("--threads", threads, "CPU threads (default: all cores); results do not depend on it");
}

std::unique_ptr<Backend> DeviceOptions::open() const {
  if (threads < 0 || threads > 4096) fail_usage("--threads: {} is out of range, 1 to 4096", threads);
  if (threads > 0) set_thread_count(threads);
  return make_backend(device);
}

}  // namespace phasor::app
