#include "phasor/report/report_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/report/run_views.h"
#include "phasor/study/carry_out/head_curves.h"

namespace phasor {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "phasor report 2";

constexpr std::pair<const char*, double PartShares::*> kParts[] = {
    {"content_content", &PartShares::content_content},
    {"content_position", &PartShares::content_position},
    {"position_content", &PartShares::position_content},
    {"position_position", &PartShares::position_position},
    {"bias", &PartShares::bias}};

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// The run that stands for its cell where one must: the first that converged, else the first.
const RunRecord* shown_run(const CellRuns& cell) {
  for (const RunRecord& run : cell.runs) {
    if (run.converged) return &run;
  }
  return cell.runs.empty() ? nullptr : &cell.runs.front();
}

Json kernel_json(const std::vector<double>& kernel) {
  const int64_t size = (std::ssize(kernel) + 1) / 2;
  Json distances = Json::array(), values = Json::array();
  for (int64_t i = 0; i < std::ssize(kernel); ++i) {
    distances.push_back(i - size + 1);
    values.push_back(number(kernel[static_cast<size_t>(i)]));
  }
  return {{"distance", std::move(distances)}, {"value", std::move(values)}};
}

Json shares_json(const PartShares& shares) {
  Json json = Json::object();
  for (const auto& [name, share] : kParts) json[name] = number(shares.*share);
  return json;
}

// Means over heads, of those that have a number.
double mean_over(const std::vector<HeadCurves>& heads, const std::function<double(const HeadCurves&)>& value) {
  double sum = 0.0;
  int64_t count = 0;
  for (const HeadCurves& head : heads) {
    if (!std::isfinite(value(head))) continue;
    sum += value(head);
    ++count;
  }
  return sum / static_cast<double>(count);  // NaN without any
}

Json mean_shares_json(const std::vector<HeadCurves>& heads) {
  Json json = Json::object();
  for (const auto& part : kParts) {
    const auto share = part.second;
    json[part.first] = number(mean_over(heads, [&](const HeadCurves& head) { return head.shares.*share; }));
  }
  return json;
}

// [layers], from the input on.
Json layer_shares_json(const std::vector<HeadCurves>& heads) {
  std::map<int64_t, std::vector<HeadCurves>> layers;
  for (const HeadCurves& head : heads) layers[head.layer].push_back(head);
  Json list = Json::array();
  for (const auto& [layer, own] : layers) list.push_back({{"layer", layer}, {"shares", mean_shares_json(own)}});
  return list;
}

Json head_json(const HeadCurves& head) {
  Json eigenvalues = Json::array();
  for (const std::complex<double>& value : head.eigenvalues) eigenvalues.push_back({value.real(), value.imag()});
  Json plain = nullptr;
  if (!head.plain.empty()) plain = head.plain;
  return {{"layer", head.layer},
          {"head", head.head},
          {"singular", head.singular},
          {"singular_plain", std::move(plain)},
          {"eigenvalues", head.eigenvalues.empty() ? Json(nullptr) : std::move(eigenvalues)},
          {"kernel", kernel_json(head.kernel)},
          {"shares", shares_json(head.shares)},
          {"contraction", number(head.contraction)}};
}

Json curves_json(const RunRecord& run, const fs::path& folder) {
  const fs::path path = folder / kHeadCurvesFile;
  if (!fs::exists(path)) return nullptr;
  try {
    const CurvesRecord record = read_head_curves(path, run.id);
    Json json = {{"id", run.id}, {"seed", run.seed}, {"tokens", record.tokens}};
    json["largest_singular"] = number(mean_over(record.heads, [](const HeadCurves& head) {
      return head.singular.empty() ? std::nan("") : head.singular.front();
    }));
    json["shares"] = mean_shares_json(record.heads);
    json["layer_shares"] = layer_shares_json(record.heads);
    json["heads"] = Json::array();
    for (const HeadCurves& head : record.heads) json["heads"].push_back(head_json(head));
    return json;
  } catch (const FormatError&) {
    return nullptr;
  }
}

Json config_json(const fs::path& folder) {
  const fs::path path = folder / "config.json";
  if (!fs::exists(path)) return nullptr;
  Json json = Json::parse(read_file(path), nullptr, false);
  return json.is_discarded() ? Json(nullptr) : json;
}

Json cell_json(const ReportSource& source, const CellRuns& cell) {
  const RunRecord* shown = shown_run(cell);
  if (shown == nullptr) {
    return {{"config", nullptr}, {"command", nullptr}, {"telemetry", nullptr}, {"head_curves", nullptr}};
  }
  const fs::path folder = source.run_folder(*shown);
  return {{"config", config_json(folder)},
          {"command", fmt::format("phasor train --config {} --out runs/again", (folder / "config.json").string())},
          {"telemetry", telemetry_json(cell.runs)},
          {"head_curves", curves_json(*shown, folder)}};
}

}  // namespace

Json report_data(const ReportSource& source, const StudyResults& results, const Json& summary) {
  Json cells = Json::array();
  for (const CellRuns& cell : results.cells) cells.push_back(cell_json(source, cell));
  return {{"format", kFormat},
          {"kind", source.kind},
          {"folder", source.folder},
          {"commands",
           {{"repeat", source.repeat.empty() ? Json(nullptr) : Json(source.repeat)}, {"report", source.report}}},
          {"summary", summary},
          {"cells", std::move(cells)}};
}

}  // namespace phasor
