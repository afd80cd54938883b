#include "phasor/run/telemetry.h"

#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/base/json_fields.h"

namespace phasor {

static const Fields<Telemetry>& json_fields(const Telemetry*) {
  static const Fields<Telemetry> fields = {
      size_field("step", &Telemetry::step, "updates before the measurement"),
      field("loss", &Telemetry::loss, "of the batch"),
      group_field<Telemetry>(
          "heads",
          {field("spectral_norm", &Telemetry::spectral_norm, "of the logits"),
           field("stable_rank", &Telemetry::stable_rank, "of the logits"),
           field("relative_r2", &Telemetry::relative_r2, "what distance explains of the logits, adjusted"),
           field("positional_share", &Telemetry::positional_share, "of the logits' variance"),
           field("seed", &Telemetry::seed, "pull of the gradient towards the right distance (docs/theory.md)"),
           field("phase_seed", &Telemetry::phase_seed, "the same through the angles of queries (docs/theory.md)")
               .since_later(),
           field("gradient_norm", &Telemetry::gradient_norm, "of the head's parameters")},
          "lists of layers, each a list of heads"),
      group_field<Telemetry>("layers",
                             {field("gradient_norm", &Telemetry::layer_gradient_norm, "of the layer's parameters"),
                              field("margin", &Telemetry::margin, "between the two strongest seeds")},
                             "lists of layers")};
  return fields;
}

std::string to_json_line(const Telemetry& telemetry) { return write_json(telemetry).dump(); }

Telemetry parse_telemetry(std::string_view line, std::string_view source) {
  try {
    return read_json<Telemetry>(nlohmann::ordered_json::parse(line));
  } catch (const nlohmann::ordered_json::exception& error) {
    throw FormatError(fmt::format("{}: not a line of telemetry ({})", source, error.what()));
  } catch (const FormatError& error) {
    throw FormatError(fmt::format("{}: {}", source, error.what()));
  }
}

}  // namespace phasor
