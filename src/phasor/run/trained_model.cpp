#include "phasor/run/trained_model.h"

#include <algorithm>
#include <filesystem>

#include "phasor/base/error.h"
#include "phasor/run/config_text.h"
#include "phasor/run/finished_run.h"

namespace phasor {
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

std::string trained_model_file(const RunFolder& run, const RunConfig& config, std::optional<int64_t> step) {
  const std::string folder = run.path().string();
  if (!step) {
    refuse_packed(run, config, "model.safetensors");
    if (std::filesystem::exists(run.file("model.safetensors"))) return "model.safetensors";
    fail_usage("'{}' has no finished model; resume with: phasor train --resume --out {}", folder, folder);
  }
  if (*step > config.train.steps) {
    fail_usage("'{}' has {} steps: there is no snapshot of step {}", folder, config.train.steps, *step);
  }
  refuse_packed(run, config, snapshot_name(*step));
  if (std::filesystem::exists(run.file(snapshot_name(*step)))) return snapshot_name(*step);
  fail_usage("'{}' has no snapshot of step {}; it was trained with train.snapshots={}", folder, *step,
             write_list(config.train.snapshots));
}

Session open_trained_model(Backend& backend, const RunFolder& folder, const TrainedModelOptions& options) {
  RunConfig config = folder.load_config();
  const std::string name = trained_model_file(folder, config, options.step);
  const RunConfig stored = config;
  if (options.gradients) config.train.precision = Dtype::f32;
  Session session(backend, config, {.training = options.gradients});
  try {
    folder.check_model(stored, name);
    session.model().load_parameters(folder.load_model(session.model().layout(), name));
  } catch (const FormatError& error) {
    if (options.step) fail("{} (only training the run again restores a snapshot)", error.what());
    fail("{} (without it and result.json, 'phasor train --resume --out {}' makes it again)", error.what(),
         folder.path().string());
  }
  return session;
}

}  // namespace phasor
