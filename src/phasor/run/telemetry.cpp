#include "phasor/run/telemetry.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "phasor/base/error.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

double read_number(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

std::vector<double> read_row(const Json& json) {
  std::vector<double> row;
  for (const Json& value : json) row.push_back(read_number(value));
  return row;
}

Telemetry::PerHead read_heads(const Json& json) {
  Telemetry::PerHead layers;
  for (const Json& row : json) layers.push_back(read_row(row));
  return layers;
}

}  // namespace

std::string to_json_line(const Telemetry& t) {
  const Json line = {{"step", t.step},
                     {"loss", t.loss},
                     {"heads",
                      {{"spectral_norm", t.spectral_norm},
                       {"stable_rank", t.stable_rank},
                       {"relative_r2", t.relative_r2},
                       {"positional_share", t.positional_share},
                       {"seed", t.seed},
                       {"gradient_norm", t.gradient_norm}}},
                     {"layers", {{"gradient_norm", t.layer_gradient_norm}, {"margin", t.margin}}}};
  return line.dump();
}

Telemetry parse_telemetry(std::string_view line, std::string_view source) {
  try {
    const Json json = Json::parse(line);
    const Json& heads = json.at("heads");
    const Json& layers = json.at("layers");
    return {.step = json.at("step").get<int64_t>(),
            .loss = read_number(json.at("loss")),
            .spectral_norm = read_heads(heads.at("spectral_norm")),
            .stable_rank = read_heads(heads.at("stable_rank")),
            .relative_r2 = read_heads(heads.at("relative_r2")),
            .positional_share = read_heads(heads.at("positional_share")),
            .seed = read_heads(heads.at("seed")),
            .gradient_norm = read_heads(heads.at("gradient_norm")),
            .layer_gradient_norm = read_row(layers.at("gradient_norm")),
            .margin = read_row(layers.at("margin"))};
  } catch (const Json::exception& error) {
    throw FormatError(fmt::format("{}: not a line of telemetry ({})", source, error.what()));
  }
}

}  // namespace phasor
