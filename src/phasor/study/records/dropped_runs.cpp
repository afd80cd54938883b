#include "phasor/study/records/dropped_runs.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "phasor/base/error.h"
#include "phasor/base/seal.h"
#include "phasor/study/plan/cell_name.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

Json earlier_cells(const StudyFolder& folder) {
  const std::filesystem::path path = folder.file("summary.json");
  std::error_code unreadable;
  if (!std::filesystem::exists(path, unreadable)) return Json::array();
  try {
    return read_sealed_file(path, [](const std::string& text) { return Json::parse(text).at("cells"); });
  } catch (const Json::exception& error) {
    throw FormatError(fmt::format("'{}': not a summary ({})", path.string(), error.what()));
  }
}

}  // namespace

std::vector<DroppedRun> unreadable_runs(const StudyResults& results) {
  std::vector<DroppedRun> all;
  for (const CellRuns& cell : results.cells) {
    for (const RunFailure& failure : cell.failures) {
      all.push_back({failure.id, text(failure.cell), failure.seed, failure.what});
    }
  }
  return all;
}

std::vector<DroppedRun> dropped_runs(const StudyFolder& folder, const StudyResults& results) {
  std::set<std::string> present;
  std::map<std::string, std::string> reasons;
  for (const CellRuns& cell : results.cells) {
    for (const RunRecord& run : cell.runs) present.insert(run.id);
    for (const RunFailure& failure : cell.failures) reasons[failure.id] = failure.what;
  }
  std::vector<DroppedRun> dropped;
  for (const Json& cell : earlier_cells(folder)) {
    try {
      for (const Json& run : cell.at("runs")) {
        const std::string id = run.at("id");
        if (present.contains(id)) continue;
        const auto reason = reasons.find(id);
        dropped.push_back({id, cell.at("name"), run.at("seed"),
                           reason != reasons.end() ? reason->second : "there is no such finished run any more"});
      }
    } catch (const Json::exception&) {
      continue;  // not a cell that a summary has
    }
  }
  return dropped;
}

}  // namespace phasor
