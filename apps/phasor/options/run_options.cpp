#include "options/run_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options/typed_options.h"
#include "phasor/base/error.h"
#include "phasor/base/threads.h"
#include "phasor/run/parameter_match.h"

namespace phasor::app {

void RunOptions::add_to(CLI::App& command) {
  add_text(command, "--task", task, "Task to learn: see 'phasor tasks'")->type_name("NAME");
  add_text(command, "--encoding", encoding,
           "Positional encoding: rope, alibi, 'sinusoidal+rope', 'rope[heads=0-1]', ...")
      ->type_name("TEXT");
  add_text(command, "--preset", preset, "Sizes of task, model and training: quick (default), demo or paper")
      ->type_name("NAME");
  add_text(command, "--protocol", protocol,
           "How things are done: clean (default), released or released_mla; see docs/protocols.md")
      ->type_name("NAME");
  add_text(command, "--seed", seed, "Seed of initialisation and dropout (the data has its own: --set data.seed=1)")
      ->type_name("N");
  command.add_option("--config", files, "File of settings, JSON with comments; later ones win")->type_name("FILE");
  add_text(command, "--match-parameters", match,
           "Choose model.hidden so that the model has as many parameters as with this encoding")
      ->type_name("ENCODING");
  command.add_option("--set", sets, "One setting, e.g. --set train.lr=3e-4; may be repeated")->type_name("KEY=VALUE");
}

bool RunOptions::empty() const {
  return task.empty() && encoding.empty() && preset.empty() && protocol.empty() && seed.empty() && files.empty() &&
         sets.empty() && match.empty();
}

ConfigBuilder RunOptions::builder(const std::string& base) const {
  ConfigBuilder builder;
  if (!base.empty()) builder.add_file(base);
  for (const std::string& file : files) builder.add_file(file);
  const auto option = [&](const char* name, const char* key, const std::string& value) {
    if (!value.empty()) builder.add_option(name, key, value);
  };
  option("--task", "task", task);
  option("--encoding", "model.encoding", encoding);
  option("--preset", "preset", preset);
  option("--protocol", "protocol", protocol);
  option("--seed", "seed", seed);
  for (const std::string& assignment : sets) {
    if (!match.empty() && assignment.rfind("model.hidden=", 0) == 0) {
      fail_usage("--match-parameters chooses model.hidden: it does not go with --set {}", assignment);
    }
    builder.add_set(assignment);
  }
  if (!match.empty())
    option("--match-parameters", "model.hidden", std::to_string(matching_hidden(builder.build(), match)));
  return builder;
}

void DeviceOptions::add_to(CLI::App& command) {
  add_text(command, "--device", device, fmt::format("Where to compute: {}", fmt::join(device_names(), ", ")))
      ->type_name("NAME")
      ->capture_default_str();
  add_whole(command, "--threads", threads, {.least = 1, .most = 4096},
            "CPU threads (default: all cores); results do not depend on it");
}

std::unique_ptr<Backend> DeviceOptions::open() const {
  if (threads) set_thread_count(static_cast<int>(*threads));
  return make_backend(device);
}

}  // namespace phasor::app
