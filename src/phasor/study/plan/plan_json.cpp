#include "phasor/study/plan/plan_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/base/json_fields.h"
#include "phasor/run/config_json.h"
#include "phasor/study/summary/cell_json.h"

namespace phasor {

static const Fields<RunMeasures>& json_fields(const RunMeasures*) {
  static const Fields<RunMeasures> fields = {
      field("ablation", &RunMeasures::ablation, "heads switched off"),
      field("snapshots", &RunMeasures::snapshots, "the same of every snapshot"),
      field("published", &RunMeasures::published, "the same as the released code does it"),
      field("spectrum", &RunMeasures::spectrum, "spectra of the logits"),
      field("lengths", &RunMeasures::lengths, "multiples of the training length"),
      field("ablation_samples", &RunMeasures::ablation_samples, "held-out samples of ablations")};
  return fields;
}

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPlanFormat = "phasor study 2";
constexpr const char* kSharedDataFormat = "phasor study 1";  // all runs of a cell have config's data.seed

Json to_json(const PlannedCell& cell) {
  Json json = to_json(cell.cell);
  json["seeds"] = cell.seeds;
  json["own_data"] = cell.own_data;
  json["rates"] = cell.rates;
  json["rate_of"] = cell.rate_of ? to_json(*cell.rate_of) : Json(nullptr);
  json["measures"] = to_json(cell.measures);
  json["config"] = Json::parse(config_to_json(cell.config));
  return json;
}

CellName cell_name(const Json& json) {
  return {json.at("task"), json.at("protocol"), json.at("encoding"), json.at("variant")};
}

PlannedCell cell_from(const Json& json, bool shared_data, std::string_view file) {
  const JsonPath top;
  PlannedCell cell{.cell = cell_name(json),
                   .config = config_from_json(json.at("config").dump(), file),
                   .measures = read_json<RunMeasures>(json.at("measures"), JsonPath(top, "measures"))};
  if (!shared_data) cell.own_data = read_json<bool>(json.at("own_data"), JsonPath(top, "own_data"));
  cell.seeds = read_json<std::vector<uint64_t>>(json.at("seeds"), JsonPath(top, "seeds"));
  cell.rates = read_json<std::vector<double>>(json.at("rates"), JsonPath(top, "rates"));
  if (!json.at("rate_of").is_null()) cell.rate_of = cell_name(json.at("rate_of"));
  return cell;
}

}  // namespace

Json to_json(const RunMeasures& measures) { return write_json(measures); }

Json to_json(const StudyPlan& plan) {
  Json cells = Json::array();
  for (const PlannedCell& cell : plan.cells) cells.push_back(to_json(cell));
  return {{"format", kPlanFormat}, {"name", plan.name}, {"preset", plan.preset}, {"cells", std::move(cells)}};
}

StudyPlan plan_from_json(std::string_view text, std::string_view file) {
  try {
    const Json json = Json::parse(text);
    const bool shared_data = json.at("format") == kSharedDataFormat;
    if (!shared_data && json.at("format") != kPlanFormat) {
      throw FormatError(fmt::format("'{}' is not a {}", file, kPlanFormat));
    }
    StudyPlan plan{.name = json.at("name"), .preset = json.at("preset")};
    for (const Json& cell : json.at("cells")) plan.cells.push_back(cell_from(cell, shared_data, file));
    return plan;
  } catch (const nlohmann::json::exception& error) {
    throw FormatError(fmt::format("'{}' is not a study: {}", file, error.what()));
  } catch (const FormatError& error) {
    const std::string_view what = error.what();
    if (what.find(file) != std::string_view::npos) throw;
    throw FormatError(fmt::format("'{}': {}", file, what));
  }
}

}  // namespace phasor
