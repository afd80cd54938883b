#pragma once
// Files of a run changed on purpose, with a checksum that fits: what a test needs that is about something else.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "phasor/base/file.h"
#include "phasor/base/seal.h"

namespace phasor::testing_support {

inline nlohmann::ordered_json read_json_of(const std::filesystem::path& path) {
  return nlohmann::ordered_json::parse(read_file(path));
}

inline void write_resealed(const std::filesystem::path& path, nlohmann::ordered_json json) {
  json.erase(std::string(kSealKey));
  write_file_atomically(path, sealed(json.dump(2) + "\n"));
}

}  // namespace phasor::testing_support
