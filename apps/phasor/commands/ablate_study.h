#pragma once
// Ablation of every run below a folder, and verdicts per encoding over seeds.
#include "options/ablate_options.h"

namespace phasor::app {

void run_ablate_study(const AblateOptions& options);

}  // namespace phasor::app
