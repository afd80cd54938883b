#pragma once
// What of an attention the kernels here do not know: refused by name, never ignored.
#include "phasor/engine/ops.h"

namespace phasor::cuda {

void require_known(const Attention& attention);

}  // namespace phasor::cuda
