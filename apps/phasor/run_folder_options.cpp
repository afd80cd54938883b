#include "run_folder_options.h"

#include <algorithm>
#include <filesystem>

#include "phasor/base/error.h"
#include "phasor/train/config_text.h"
#include "phasor/train/finished_run.h"
#include "usage.h"

namespace phasor::app {

void RunFolderOptions::add_to(CLI::App& command, const char* what) {
  add_text(command, "RUN", folder, what)->type_name("")->required();
  add_text(command, "--step", step, "Use the snapshot of this step instead of the finished model")->type_name("N");
}

namespace {

// Weights that were left out on purpose are no reason to train the run to its end.
void refuse_packed(const RunFolder& run, const RunConfig& config, const std::string& name) {
  if (std::filesystem::exists(run.file(name)) || !run.complete()) return;
  const std::vector<std::string> packed = read_result(run, config).packed;
  if (std::find(packed.begin(), packed.end(), name) == packed.end()) return;
  fail_usage("'{}' was packed: its weights were left out on purpose; 'phasor train --config {}' makes them again",
             run.path().string(), run.file("config.json").string());
}

}  // namespace

std::string RunFolderOptions::model_name(const RunFolder& run, const RunConfig& config) const {
  if (step.empty()) {
    refuse_packed(run, config, "model.safetensors");
    if (std::filesystem::exists(run.file("model.safetensors"))) return "model.safetensors";
    fail_usage("'{}' has no finished model; go on with: phasor train --resume --out {}", folder, folder);
  }
  const int64_t number = read_whole("--step", step, {.least = 0, .most = config.train.steps});
  refuse_packed(run, config, snapshot_name(number));
  if (std::filesystem::exists(run.file(snapshot_name(number)))) return snapshot_name(number);
  fail_usage("'{}' has no snapshot of step {}; it was trained with train.snapshots={}", folder, number,
             write_list(config.train.snapshots));
}

Session RunFolderOptions::open(Backend& backend) const { return open(backend, false); }

Session RunFolderOptions::open_for_gradients(Backend& backend) const { return open(backend, true); }

Session RunFolderOptions::open(Backend& backend, bool gradients) const {
  const RunFolder run(folder);
  RunConfig config = run.load_config();
  const std::string name = model_name(run, config);
  const RunConfig stored = config;
  if (gradients) config.train.precision = Dtype::f32;
  Session session(backend, config, {.training = gradients});
  try {
    run.check_model(stored, name);
    session.model().load_parameters(run.load_model(session.model().layout(), name));
  } catch (const FormatError& error) {
    if (!step.empty()) fail("{} (only training the run again restores a snapshot)", error.what());
    fail("{} (without it and result.json, 'phasor train --resume --out {}' makes it again)", error.what(), folder);
  }
  return session;
}

}  // namespace phasor::app
