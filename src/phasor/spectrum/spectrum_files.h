#pragma once
// spectrum.json and spectrum.safetensors.
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/spectrum/head_summary.h"

namespace phasor {

inline constexpr const char* kSpectrumFormat = "phasor spectrum 1";

// Heads with what they come from, the theorems among it.
nlohmann::ordered_json spectrum_json(nlohmann::ordered_json source, const std::vector<HeadSummary>& heads);

// <stem>.json, and <stem>.safetensors where there are heads; both written aside and renamed.
void write_spectrum(const std::filesystem::path& folder, const std::string& stem, const nlohmann::ordered_json& json,
                    const std::vector<HeadSummary>& heads, int64_t layers);

}  // namespace phasor
