#pragma once
// spectrum.json and spectrum.safetensors.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/spectrum/head_summary.h"

namespace phasor::app {

inline constexpr const char* kSpectrumFormat = "phasor spectrum 1";

// Before long work: makes the folder and sees that it can be written to.
void prepare_folder(const std::string& folder);

// <stem>.json, and <stem>.safetensors where there are heads; both written aside and renamed.
void write_spectrum(const std::string& folder, const std::string& stem, const nlohmann::ordered_json& json,
                    const std::vector<HeadSummary>& heads, int64_t layers);
std::string written_text(const std::string& folder, const std::string& stem);

// A line on stderr.
void say_progress(const std::string& line);

}  // namespace phasor::app
