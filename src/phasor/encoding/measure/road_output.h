#pragma once
// The road to RoPE, for people and for programs.
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace phasor {

std::string road_text();
nlohmann::ordered_json road_json();

}  // namespace phasor
