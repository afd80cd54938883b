#pragma once
// Measured desiderata for programs.
#include <nlohmann/json_fwd.hpp>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/encoding/measure/desiderata.h"

namespace phasor {

// Every number, and the verdicts as true, false or, where one does not apply, null.
const Fields<Desiderata>& json_fields(const Desiderata*);
nlohmann::ordered_json desiderata_json(const Desiderata& measured);

}  // namespace phasor
