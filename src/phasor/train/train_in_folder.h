#pragma once
// A training with a folder of its own, claimed for as long as it lasts.
#include "phasor/run/training_start.h"
#include "phasor/train/trainer.h"

namespace phasor {

// A new run, or one that is resumed; one that is complete is left as it is, and its end is `finished` without a result
// (read_finished_run() has it); a result that is damaged is made again from the run's state. Throws FolderBusy where
// another process works in the folder, Error where it holds something else. A new run that fails before its first
// evaluation leaves nothing behind.
TrainingOutcome train_in_folder(Backend& backend, const RunConfig& config, const RunFolder& folder,
                                const TrainingCallbacks& callbacks = {});
// The same from the weights of another run.
TrainingOutcome train_in_folder(Backend& backend, const TrainingStart& start, const RunFolder& folder,
                                const TrainingCallbacks& callbacks = {});

}  // namespace phasor
