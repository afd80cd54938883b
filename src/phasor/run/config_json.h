#pragma once
// Configurations as JSON and as canonical text.
#include <string>
#include <string_view>

#include "phasor/run/config.h"

namespace phasor {

// Every key, resolved, in groups: {"preset", "seed", "task": {"name", ...}, "model": {...}, "train": {...},
// "data": {...}, "protocol": {"name", ...}}.
std::string config_to_json(const RunConfig& config);

// Strict: exactly the keys that config_to_json writes. Throws FormatError that starts with `file`.
RunConfig config_from_json(std::string_view text, std::string_view file);

// Reads a run's config.json.
RunConfig load_config(const std::string& path);

// One "key=value" line per key. The preset's name is left out: values decide what a run is, not the
// bundle they came from.
std::string canonical_text(const RunConfig& config);

// 64-bit FNV-1a of the canonical text, as 16 hexadecimal digits.
std::string config_id(const RunConfig& config);

}  // namespace phasor
