#include "study_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "phasor/base/file.h"
#include "phasor/engine/threads.h"
#include "phasor/study/study_csv.h"
#include "phasor/study/study_json.h"
#include "phasor/study/study_text.h"
#include "version.h"

namespace phasor::app {
namespace {

using Json = nlohmann::ordered_json;

std::string machine() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) {
      return fmt::format("{}, {} threads", line.substr(line.find(':') + 2), thread_count());
    }
  }
  return fmt::format("{} threads", thread_count());
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

}  // namespace

std::vector<Comparison> compare_with_first(const StudyResults& results) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const CellRuns*>> groups;
  for (const CellRuns& cell : results.cells) {
    groups[{cell.cell.task, cell.cell.protocol, cell.cell.variant}].push_back(&cell);
  }
  std::vector<Comparison> all;
  for (const ComparedQuantity quantity : {ComparedQuantity::test_accuracy, ComparedQuantity::steps_to_90}) {
    for (const auto& [key, cells] : groups) {
      std::vector<Comparison> family;
      for (size_t i = 1; i < std::min(cells.size(), kMostComparisons + 1); ++i) {
        family.push_back(compare(*cells.front(), *cells[i], {quantity}));
      }
      adjust(family);
      all.insert(all.end(), family.begin(), family.end());
    }
  }
  return all;
}

std::string summary_json(const StudySummary& summary, const Json& more) {
  Json json = to_json(summary);
  Json times = {{"version", version()}, {"commit", commit()}, {"machine", machine()}, {"date", today()}};
  times["runs"] = std::move(json["times"]);
  json.erase("times");
  json.update(more);
  json["times"] = std::move(times);
  return summary_text(json);
}

std::string provenance_text() {
  return fmt::format("Made by phasor {}, commit {}, on {}, {}.\n\n", version(), commit(), machine(), today());
}

void write_summary(const StudyFolder& folder, const StudyResults& results, const std::string& json,
                   const std::string& markdown) {
  write_file_atomically(folder.file("summary.csv"), study_csv(results));
  write_file_atomically(folder.file("summary.md"), markdown);
  write_file_atomically(folder.file("summary.json"), json);
}

void report_study(const StudyFolder& folder, const StudyResults& results, bool as_json) {
  const StudySummary summary = summarize(results, compare_with_first(results));
  const std::string json = summary_json(summary, Json::object());
  write_summary(folder, results, json, provenance_text() + study_text(summary, TableFormat::markdown));
  if (as_json) {
    fmt::print("{}", json);
    return;
  }
  fmt::print("{}\nwritten: {}/summary.json, .csv, .md\n", study_text(summary, TableFormat::terminal),
             folder.path().string());
}

}  // namespace phasor::app
