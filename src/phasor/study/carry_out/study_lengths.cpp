#include "phasor/study/carry_out/study_lengths.h"

#include <algorithm>

#include "phasor/base/seal.h"
#include "phasor/run/length_evaluation.h"
#include "phasor/study/carry_out/measured_file.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLengthsFormat = "phasor study lengths 1";

}  // namespace

MeasuredLength measure_length(Session& session, double factor) {
  try {
    LengthEvaluation evaluation(session, factor);
    const Scores scores = evaluation.run(kLengthSamples);
    return {.factor = factor,
            .record = LengthRecord{.factor = factor, .longest = evaluation.longest(), .accuracy = scores.accuracy},
            .reason = {}};
  } catch (const UsageError& error) {
    return {.factor = factor, .record = {}, .reason = error.what()};
  }
}

bool has_length(const std::vector<MeasuredLength>& lengths, double factor) {
  return std::any_of(lengths.begin(), lengths.end(),
                     [&](const MeasuredLength& length) { return length.factor == factor; });
}

// A length that was measured has `longest` and `accuracy`, another the reason why not.
const Fields<MeasuredLength>& json_fields(const MeasuredLength*) {
  static const Fields<MeasuredLength> fields = {
      size_field("factor", &MeasuredLength::factor, "times the training length"),
      json_field<MeasuredLength>(
          "longest", "whole number or null",
          [](const MeasuredLength& l) { return l.record ? Json(l.record->longest) : Json(); },
          "tokens; null: not measured")
          .read_by([](MeasuredLength& l, const Json& json, const JsonPath& path) {
            if (json.is_null()) return;
            l.record = {.factor = l.factor, .longest = read_json<int64_t>(json, path)};
          }),
      json_field<MeasuredLength>(
          "accuracy", "number or null",
          [](const MeasuredLength& l) { return l.record ? Json(l.record->accuracy) : Json(); },
          "on samples of that length; null: not measured")
          .read_by([](MeasuredLength& l, const Json& json, const JsonPath& path) {
            if (json.is_null() != !l.record) fail_member(path, "and longest do not agree");
            if (!json.is_null()) l.record->accuracy = read_json<double>(json, path);
          }),
      json_field<MeasuredLength>(
          "reason", "text or null", [](const MeasuredLength& l) { return l.record ? Json() : Json(l.reason); },
          "why it was not measured; null: it was")
          .read_by([](MeasuredLength& l, const Json& json, const JsonPath& path) {
            if (!json.is_null()) l.reason = read_json<std::string>(json, path);
          })};
  return fields;
}

void write_study_lengths(std::vector<MeasuredLength> lengths, const std::filesystem::path& path,
                         const std::string& run) {
  std::sort(lengths.begin(), lengths.end(),
            [](const MeasuredLength& a, const MeasuredLength& b) { return a.factor < b.factor; });
  Json json = {{"format", kLengthsFormat}, {"samples", kLengthSamples}};
  if (!run.empty()) json["run"] = run;
  json["lengths"] = write_json(lengths);
  write_file_atomically(path, sealed(json.dump(2) + "\n"));
}

std::vector<MeasuredLength> read_study_lengths(const std::filesystem::path& path, const std::string& run) {
  return read_measured_file(
      path, kLengthsFormat,
      [](const Json& json) {
        const JsonPath top;
        return read_json<std::vector<MeasuredLength>>(json.at("lengths"), JsonPath(top, "lengths"));
      },
      run);
}

}  // namespace phasor
