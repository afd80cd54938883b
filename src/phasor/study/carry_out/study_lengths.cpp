#include "phasor/study/carry_out/study_lengths.h"

#include <algorithm>

#include "phasor/base/seal.h"
#include "phasor/run/length_evaluation.h"
#include "phasor/study/carry_out/measured_file.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLengthsFormat = "phasor study lengths 1";

Json length_json(const MeasuredLength& length) {
  const std::optional<LengthRecord>& record = length.record;
  return {{"factor", length.factor},
          {"longest", record ? Json(record->longest) : Json(nullptr)},
          {"accuracy", record ? Json(record->accuracy) : Json(nullptr)},
          {"reason", record ? Json(nullptr) : Json(length.reason)}};
}

MeasuredLength length_from(const Json& json) {
  MeasuredLength length{.factor = json.at("factor"), .record = {}, .reason = {}};
  if (json.at("accuracy").is_null()) {
    length.reason = json.at("reason");
  } else {
    length.record = {.factor = length.factor, .longest = json.at("longest"), .accuracy = json.at("accuracy")};
  }
  return length;
}

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

void write_study_lengths(std::vector<MeasuredLength> lengths, const std::filesystem::path& path,
                         const std::string& run) {
  std::sort(lengths.begin(), lengths.end(),
            [](const MeasuredLength& a, const MeasuredLength& b) { return a.factor < b.factor; });
  Json json = {{"format", kLengthsFormat}, {"samples", kLengthSamples}};
  if (!run.empty()) json["run"] = run;
  json["lengths"] = Json::array();
  for (const MeasuredLength& length : lengths) json["lengths"].push_back(length_json(length));
  write_file_atomically(path, sealed(json.dump(2) + "\n"));
}

std::vector<MeasuredLength> read_study_lengths(const std::filesystem::path& path, const std::string& run) {
  return read_measured_file(
      path, kLengthsFormat,
      [](const Json& json) {
        std::vector<MeasuredLength> lengths;
        for (const Json& length : json.at("lengths")) lengths.push_back(length_from(length));
        return lengths;
      },
      run);
}

}  // namespace phasor
