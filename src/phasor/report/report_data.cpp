#include "phasor/report/report_data.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/study/carry_out/head_curves.h"

namespace phasor {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "phasor report 1";

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
          {"shares",
           {{"content_content", number(head.shares.content_content)},
            {"content_position", number(head.shares.content_position)},
            {"position_content", number(head.shares.position_content)},
            {"position_position", number(head.shares.position_position)},
            {"bias", number(head.shares.bias)}}},
          {"contraction", number(head.contraction)}};
}

Json curves_json(const RunRecord& run, const fs::path& folder) {
  const fs::path path = folder / kHeadCurvesFile;
  if (!fs::exists(path)) return nullptr;
  try {
    const CurvesRecord record = read_head_curves(path, run.id);
    Json json = {{"id", run.id}, {"seed", run.seed}, {"tokens", record.tokens}};
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

// At the steps at which some run was evaluated; a run without one of them has null there.
Json telemetry_json(const CellRuns& cell) {
  std::set<int64_t> steps;
  for (const RunRecord& run : cell.runs) {
    for (const Metrics& metrics : run.curve) steps.insert(metrics.step);
  }
  if (steps.empty()) return nullptr;
  const auto series = [&](double Metrics::*member) {
    Json all = Json::array();
    for (const RunRecord& run : cell.runs) {
      Json values = Json::array();
      auto metrics = run.curve.begin();
      for (const int64_t step : steps) {
        while (metrics != run.curve.end() && metrics->step < step) ++metrics;
        const bool has = metrics != run.curve.end() && metrics->step == step;
        values.push_back(has ? number((*metrics).*member) : Json(nullptr));
      }
      all.push_back(std::move(values));
    }
    return all;
  };
  return {{"steps", steps},
          {"gradient_norm", series(&Metrics::gradient_norm)},
          {"test_loss", series(&Metrics::test_loss)},
          {"learning_rate", series(&Metrics::learning_rate).front()}};
}

Json cell_json(const ReportSource& source, const CellRuns& cell) {
  const RunRecord* shown = shown_run(cell);
  if (shown == nullptr) {
    return {{"config", nullptr}, {"command", nullptr}, {"telemetry", nullptr}, {"head_curves", nullptr}};
  }
  const fs::path folder = source.run_folder(*shown);
  return {{"config", config_json(folder)},
          {"command", fmt::format("phasor train --config {} --out runs/again", (folder / "config.json").string())},
          {"telemetry", telemetry_json(cell)},
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
