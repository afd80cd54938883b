#include "phasor/train/train_in_folder.h"

#include <filesystem>

#include "phasor/base/error.h"
#include "phasor/run/finished_run.h"
#include "phasor/run/open_run.h"
#include "phasor/run/run_start.h"

namespace phasor {
namespace {

// Its files are whole and belong together. Damage that the run's state can mend is no error; what would have to be
// trained anew, over good results, is.
bool has_result(const RunFolder& folder) {
  if (!folder.complete()) return false;
  try {
    read_finished_run(folder);
    return true;
  } catch (const FormatError&) {
    if (!std::filesystem::exists(folder.file("state.safetensors"))) throw;
    return false;
  }
}

TrainingOutcome train_from(Backend& backend, const RunConfig& config, const TrainingStart* start,
                           const RunFolder& folder, const TrainingCallbacks& callbacks) {
  if (folder.complete()) require_same_config(folder, folder.load_config(), config);
  if (has_result(folder)) return {.end = TrainingEnd::finished, .step = config.train.steps};
  OpenRun open(folder, config, true);
  if (start != nullptr && !has_start(folder)) save_start(folder, *start);
  TrainingCallbacks own = callbacks;
  own.evaluation = [&](const Metrics& metrics) {
    open.require_claim();
    open.begin();
    if (callbacks.evaluation) callbacks.evaluation(metrics);
  };
  return train(backend, config, folder, own);
}

}  // namespace

TrainingOutcome train_in_folder(Backend& backend, const RunConfig& config, const RunFolder& folder,
                                const TrainingCallbacks& callbacks) {
  return train_from(backend, config, nullptr, folder, callbacks);
}

TrainingOutcome train_in_folder(Backend& backend, const TrainingStart& start, const RunFolder& folder,
                                const TrainingCallbacks& callbacks) {
  return train_from(backend, start.config, &start, folder, callbacks);
}

}  // namespace phasor
