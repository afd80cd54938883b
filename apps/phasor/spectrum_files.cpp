#include "spectrum_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "head_output.h"
#include "phasor/base/file.h"
#include "phasor/base/seal.h"
#include "terminal.h"

namespace phasor::app {

void prepare_folder(const std::string& folder) {
  make_directory(folder);
  check_directory_writable(folder);
}

void write_spectrum(const std::string& folder, const std::string& stem, const nlohmann::ordered_json& json,
                    const std::vector<HeadSummary>& heads, int64_t layers) {
  const std::filesystem::path path = folder;
  if (!heads.empty()) {
    SafetensorsWriter writer;
    writer.set_metadata("format", kSpectrumFormat);
    writer.set_metadata("source", json.at("source").dump());
    add_head_arrays(writer, heads, layers);
    writer.write(path / fmt::format("{}.safetensors", stem));
  }
  write_file_atomically(path / fmt::format("{}.json", stem), sealed(json.dump(2) + "\n"));
}

std::string written_text(const std::string& folder, const std::string& stem) {
  const std::filesystem::path path = folder;
  return fmt::format("written: {}, {}", (path / fmt::format("{}.json", stem)).string(),
                     (path / fmt::format("{}.safetensors", stem)).string());
}

void say_progress(const std::string& line) { say(line + "\n"); }

}  // namespace phasor::app
