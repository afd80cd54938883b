#pragma once
// Files of measures, read with errors that name them.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/json_fields.h"
#include "phasor/base/seal.h"

namespace phasor {

// read(json) of what the file holds. Whatever is wrong with it is a FormatError that names the file.
template <class Read>
auto read_json_file(const std::filesystem::path& path, const Read& read) {
  return read_sealed_file(path, [&](const std::string& text) {
    try {
      return read(nlohmann::ordered_json::parse(text));
    } catch (const nlohmann::ordered_json::exception& error) {
      throw FormatError(fmt::format("'{}': not what such a file holds ({})", path.string(), error.what()));
    } catch (const Error& error) {
      throw FormatError(fmt::format("'{}': {}", path.string(), error.what()));
    }
  });
}

// The same for a file that says its format, and, where `run` is not empty, whose id of a run must be that one. Older
// files do not tell it.
template <class Read>
auto read_measured_file(const std::filesystem::path& path, const char* format, const Read& read,
                        const std::string& run = "") {
  return read_json_file(path, [&](const nlohmann::ordered_json& json) {
    if (json.at("format") != format) {
      throw FormatError(fmt::format("its format is {}, not \"{}\"", json.at("format").dump(), format));
    }
    if (!run.empty() && json.contains("run") && json.at("run").get<std::string>() != run) {
      throw FormatError("it was measured of another run");
    }
    return read(json);
  });
}

// The object's own members; the file's (format, kind, run, checksum) are not among them.
template <class T>
T read_members(nlohmann::ordered_json json) {
  for (const char* member : {"format", "kind", "run", "xxh64"}) json.erase(member);
  return read_json<T>(json);
}

// `members` behind the format, and the id of the run where it is not empty; aside and renamed.
inline void write_measured_file(const std::filesystem::path& path, const char* format,
                                const nlohmann::ordered_json& members, const std::string& run, int indent) {
  nlohmann::ordered_json json = {{"format", format}};
  json.update(members);
  if (!run.empty()) json["run"] = run;
  write_file_atomically(path, sealed(json.dump(indent) + "\n"));
}

}  // namespace phasor
