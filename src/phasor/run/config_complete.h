#pragma once
// The last step from values to a run: what follows from other values is filled in, and everything
// that must fit together is checked before any work starts.
#include "phasor/run/config.h"

namespace phasor {

// Takes readout and sizes from the task, completes the model, writes the encoding canonically.
// Throws UsageError that names the key and says what would be right.
RunConfig complete(RunConfig config);

}  // namespace phasor
