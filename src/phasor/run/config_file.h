#pragma once
// Files of settings: JSON with comments.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace phasor {

// JSON with comments, in which no object has a key twice. Throws FormatError that starts with `file`.
nlohmann::ordered_json read_json(std::string_view text, std::string_view file);

// One value, as text that the key's setter reads.
struct ConfigEntry {
  std::string key;
  std::string value;
};

// Groups may be nested or written with dots; {"task": {"name": ...}} is the key `task`. Throws
// FormatError that starts with `file` for malformed JSON, null, and a key given twice.
std::vector<ConfigEntry> read_config_entries(std::string_view text, std::string_view file);

}  // namespace phasor
