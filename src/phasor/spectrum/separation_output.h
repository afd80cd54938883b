#pragma once
// The separation table for people and for programs.
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/spectrum/separation_table.h"

namespace phasor {

const Fields<SeparationTable>& json_fields(const SeparationTable*);
std::string separation_text(const SeparationTable& table);
nlohmann::ordered_json separation_json(const SeparationTable& table);

}  // namespace phasor
