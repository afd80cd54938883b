#include "phasor/study/plan/plan_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/run/config_json.h"
#include "phasor/study/summary/cell_json.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPlanFormat = "phasor study 1";

Json to_json(const PlannedCell& cell) {
  Json json = to_json(cell.cell);
  json["seeds"] = cell.seeds;
  json["rates"] = cell.rates;
  json["rate_of"] = cell.rate_of ? to_json(*cell.rate_of) : Json(nullptr);
  json["measures"] = to_json(cell.measures);
  json["config"] = Json::parse(config_to_json(cell.config));
  return json;
}

CellName cell_name(const Json& json) {
  return {json.at("task"), json.at("protocol"), json.at("encoding"), json.at("variant")};
}

RunMeasures measures_from(const Json& json) {
  RunMeasures measures;
  json.at("ablation").get_to(measures.ablation);
  json.at("snapshots").get_to(measures.snapshots);
  json.at("published").get_to(measures.published);
  json.at("spectrum").get_to(measures.spectrum);
  json.at("lengths").get_to(measures.lengths);
  json.at("ablation_samples").get_to(measures.ablation_samples);
  return measures;
}

PlannedCell cell_from(const Json& json, std::string_view file) {
  PlannedCell cell{.cell = cell_name(json),
                   .config = config_from_json(json.at("config").dump(), file),
                   .measures = measures_from(json.at("measures"))};
  json.at("seeds").get_to(cell.seeds);
  json.at("rates").get_to(cell.rates);
  if (!json.at("rate_of").is_null()) cell.rate_of = cell_name(json.at("rate_of"));
  return cell;
}

}  // namespace

Json to_json(const RunMeasures& measures) {
  return {{"ablation", measures.ablation},   {"snapshots", measures.snapshots},
          {"published", measures.published}, {"spectrum", measures.spectrum},
          {"lengths", measures.lengths},     {"ablation_samples", measures.ablation_samples}};
}

Json to_json(const StudyPlan& plan) {
  Json cells = Json::array();
  for (const PlannedCell& cell : plan.cells) cells.push_back(to_json(cell));
  return {{"format", kPlanFormat}, {"name", plan.name}, {"preset", plan.preset}, {"cells", std::move(cells)}};
}

StudyPlan plan_from_json(std::string_view text, std::string_view file) {
  try {
    const Json json = Json::parse(text);
    if (json.at("format") != kPlanFormat) throw FormatError(fmt::format("'{}' is not a {}", file, kPlanFormat));
    StudyPlan plan{.name = json.at("name"), .preset = json.at("preset")};
    for (const Json& cell : json.at("cells")) plan.cells.push_back(cell_from(cell, file));
    return plan;
  } catch (const nlohmann::json::exception& error) {
    throw FormatError(fmt::format("'{}' is not a study: {}", file, error.what()));
  }
}

}  // namespace phasor
