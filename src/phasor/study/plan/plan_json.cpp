#include "phasor/study/plan/plan_json.h"

#include <fmt/format.h>

#include "phasor/base/error.h"
#include "phasor/base/json_fields.h"
#include "phasor/base/seal.h"
#include "phasor/run/config_json.h"
#include "phasor/study/plan/encoding_labels.h"
#include "phasor/study/summary/cell_json.h"

namespace phasor {

using Json = nlohmann::ordered_json;

static const Fields<RunMeasures>& json_fields(const RunMeasures*) {
  static const Fields<RunMeasures> fields = {
      field("ablation", &RunMeasures::ablation, "heads switched off, p taken out of the stream"),
      field("snapshots", &RunMeasures::snapshots, "the same at every snapshot"),
      field("published", &RunMeasures::published, "ablation as the released code does it"),
      field("spectrum", &RunMeasures::spectrum, "spectra of the logits, before and after training"),
      field("lengths", &RunMeasures::lengths, "accuracy on sequences so many times as long"),
      field("ablation_samples", &RunMeasures::ablation_samples, "held-out samples of ablations")};
  return fields;
}

static const Fields<NamedEncoding>& json_fields(const NamedEncoding*) {
  static const Fields<NamedEncoding> fields = {field("name", &NamedEncoding::name, "given by the study's author"),
                                               field("expression", &NamedEncoding::expression, "canonical")};
  return fields;
}

// A cell by what it runs.
static Json identity_json(const std::optional<CellName>& cell) {
  return cell ? write_fields(*cell, cell_identity_fields()) : Json();
}

static const Fields<PlannedCell>& json_fields(const PlannedCell*) {
  using C = PlannedCell;
  static const Fields<C> fields = joined_fields<C>(
      {part_fields(&C::cell, cell_identity_fields()),
       {field("seeds", &C::seeds, "of its runs"),
        field("own_data", &C::own_data,
              "whether `data.seed` of a run is its seed; format 1 has no such member, and one data set for all runs")
            .since_later(),
        field("rates", &C::rates, "learning rates to choose from; empty: that of `config`"),
        field("rate_of", &C::rate_of, "the cell whose rate it uses, or null").written_by([](const C& cell) {
          return identity_json(cell.rate_of);
        }),
        field("measures", &C::measures, "what is measured of every run"),
        json_field<C>(
            "config", "object", [](const C& cell) { return Json::parse(config_to_json(cell.config)); },
            "as in config.json, with seed 0")
            .read_by([](C& cell, const Json& json, const JsonPath& path) {
              cell.config = config_from_json(json.dump(), path.text());
            })}});
  return fields;
}

const Fields<StudyPlan>& json_fields(const StudyPlan*) {
  using P = StudyPlan;
  static const Fields<P> fields = {
      field("name", &P::name, "as the report shows it"), field("preset", &P::preset, "that sizes come from"),
      field("cells", &P::cells, "runs that differ in their seed alone"),
      field(kPlanTitle, &P::title, "shown instead of `name`, with encodings by their names")
          .since_later()
          .left_out_if([](const P& plan) { return plan.title.empty(); }),
      field(kPlanNames, &P::names, "of encodings; what is registered does not have them")
          .since_later()
          .left_out_if([](const P& plan) { return plan.names.empty(); })};
  return fields;
}

namespace {

constexpr const char* kPlanFormat = "phasor study 2";
constexpr const char* kSharedDataFormat = "phasor study 1";  // all runs of a cell have config's data.seed

}  // namespace

Json to_json(const RunMeasures& measures) { return write_json(measures); }

Json to_json(const StudyPlan& plan) {
  Json json = {{"format", kPlanFormat}};
  json.update(write_json(plan));
  return json;
}

Json registered_json(const StudyPlan& plan) {
  Json json = to_json(plan);
  json.erase(kPlanTitle);
  json.erase(kPlanNames);
  return json;
}

StudyPlan plan_from_json(std::string_view text, std::string_view file) {
  try {
    Json json = Json::parse(text);
    const bool shared_data = json.at("format") == kSharedDataFormat;
    if (!shared_data && json.at("format") != kPlanFormat) throw FormatError(fmt::format("it is not a {}", kPlanFormat));
    for (const Json& cell : json.at("cells")) {
      if (cell.contains("own_data") == shared_data)
        throw FormatError("own_data is no member of its format, or missing");
    }
    for (const char* member : {"format", kRegisteredMember, kExtensionsMember}) json.erase(member);
    json.erase(std::string(kSealKey));
    StudyPlan plan = read_json<StudyPlan>(json);
    label_cells(plan);
    return plan;
  } catch (const nlohmann::json::exception& error) {
    throw FormatError(fmt::format("'{}' is not a study: {}", file, error.what()));
  } catch (const FormatError& error) {
    throw FormatError(fmt::format("'{}': {}", file, error.what()));
  } catch (const UsageError& error) {  // of an expression
    throw FormatError(fmt::format("'{}': {}", file, error.what()));
  }
}

}  // namespace phasor
