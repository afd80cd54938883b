#include "run_folder_options.h"

#include <filesystem>

#include "phasor/base/error.h"

namespace phasor::app {

void RunFolderOptions::add_to(CLI::App& command) {
  command.add_option("RUN", folder, "Run folder made by 'phasor train'")->required();
  command.add_option("--step", step, "Use the snapshot of this step instead of the finished model");
}

Session RunFolderOptions::open(Backend& backend) const {
  const RunFolder run(folder);
  const RunConfig config = run.load_config();
  const std::string name = step >= 0 ? snapshot_name(step) : "model.safetensors";
  if (!std::filesystem::exists(run.file(name))) {
    if (step >= 0) fail_usage("'{}' has no snapshot of step {}; train with --set train.snapshots={}", folder, step, step);
    fail_usage("'{}' has no finished model; go on with: phasor train --resume --out {}", folder, folder);
  }
  Session session(backend, config, {.training = false});
  session.model().load_parameters(run.load_model(session.model().layout(), name));
  return session;
}

}  // namespace phasor::app
