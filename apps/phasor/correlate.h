#pragma once
// phasor spectrum --correlate: does contraction go with steady and fast training over the runs of a folder?
#include <string>

#include "phasor/engine/backend.h"

namespace phasor::app {

void correlate_runs(Backend& backend, const std::string& folder, bool json);

}  // namespace phasor::app
