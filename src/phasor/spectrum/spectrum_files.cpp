#include "phasor/spectrum/spectrum_files.h"

#include <fmt/format.h>

#include "phasor/base/file.h"
#include "phasor/base/json_fields.h"
#include "phasor/base/seal.h"
#include "phasor/spectrum/head_output.h"

namespace phasor {

nlohmann::ordered_json spectrum_json(nlohmann::ordered_json source, const std::vector<HeadSummary>& heads) {
  nlohmann::ordered_json json = {{"format", kSpectrumFormat}, {"source", std::move(source)}};
  json.update(write_fields(heads, head_list_fields()));
  return json;
}

void write_spectrum(const std::filesystem::path& folder, const std::string& stem, const nlohmann::ordered_json& json,
                    const std::vector<HeadSummary>& heads, int64_t layers) {
  if (!heads.empty()) {
    SafetensorsWriter writer;
    writer.set_metadata("format", kSpectrumFormat);
    writer.set_metadata("source", json.at("source").dump());
    add_head_arrays(writer, heads, layers);
    writer.write(folder / fmt::format("{}.safetensors", stem));
  }
  write_file_atomically(folder / fmt::format("{}.json", stem), sealed(json.dump(2) + "\n"));
}

}  // namespace phasor
