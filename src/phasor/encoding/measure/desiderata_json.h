#pragma once
// Measured desiderata for programs.
#include <nlohmann/json_fwd.hpp>

#include "phasor/encoding/measure/desiderata.h"

namespace phasor {

// Every number, and the verdicts as true, false or, where one does not apply, null.
nlohmann::ordered_json desiderata_json(const Desiderata& measured);

}  // namespace phasor
