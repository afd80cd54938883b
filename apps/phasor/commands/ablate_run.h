#pragma once
// Ablation of one trained model: computed, written to its folder, shown.
#include "options/ablate_options.h"

namespace phasor::app {

// ablation, ablation_step_000500 for a snapshot.
std::string ablation_stem(const RunFolderOptions& run);

// Throws Error when interrupted, after saving what is done. Writes <stem>.json, .csv and .safetensors. `announced` is
// said once work starts: nothing stands before an error.
RunAblation ablate_folder(const AblateOptions& options, const RunFolderOptions& run, const std::string& label,
                          std::string announced = {});

void run_ablate(const AblateOptions& options);
void run_ablate_as_published(const AblateOptions& options);
void run_ablate_snapshots(const AblateOptions& options);

}  // namespace phasor::app
