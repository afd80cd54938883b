#pragma once
// The separation table for people and for programs.
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "phasor/spectrum/separation_table.h"

namespace phasor {

std::string separation_text(const SeparationTable& table);
nlohmann::ordered_json separation_json(const SeparationTable& table);

}  // namespace phasor
