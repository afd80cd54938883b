#include "study_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "html_report.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/seal.h"
#include "phasor/engine/threads.h"
#include "phasor/paper/audit.h"
#include "phasor/paper/judge_claims.h"
#include "phasor/paper/paper_comparisons.h"
#include "phasor/paper/paper_json.h"
#include "phasor/paper/paper_study.h"
#include "phasor/paper/paper_text.h"
#include "phasor/paper/published.h"
#include "phasor/report/page.h"
#include "phasor/study/study_csv.h"
#include "phasor/study/study_json.h"
#include "phasor/study/study_text.h"
#include "spectrum_files.h"
#include "terminal.h"
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

std::string provenance_text() {
  return fmt::format("Made by phasor {}, commit {}, on {}, {}.\n\n", version(), commit(), machine(), today());
}

// `more` stands behind the study's own members, and "times", last, also says what made it.
Json summary_json(const StudySummary& summary, const Json& more) {
  Json json = to_json(summary);
  Json times = {{"version", version()}, {"commit", commit()}, {"machine", machine()}, {"date", today()}};
  times["runs"] = std::move(json["times"]);
  json.erase("times");
  json.update(more);
  json["times"] = std::move(times);
  return json;
}

StudyReport paper_report(const StudyResults& results) {
  StudyReport report{.paper = true, .summary = summarize(results, paper::paper_comparisons(results))};
  const std::vector<paper::JudgedClaim> claims = paper::judge_claims(results);
  const std::vector<paper::AuditBlock> audit = paper::audit(results);
  report.json = summary_json(report.summary, {{"claims", paper::claims_json(claims)},
                                              {"audit", paper::audit_json(audit)},
                                              {"published", paper::published_json(paper::published())}});
  // Verdicts first: what one came for.
  const auto text = [&](TableFormat format) {
    return paper::claims_text(claims, format) + "\n" + paper::audit_text(audit, format) + "\n" +
           paper::published_text(results, format) + "\n" + study_text(report.summary, format);
  };
  report.markdown = provenance_text() + text(TableFormat::markdown);
  report.terminal = text(TableFormat::terminal);
  return report;
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

StudyReport make_report(const StudyPlan& plan, const StudyResults& results) {
  return paper::is_paper_study(plan) ? paper_report(results) : make_report(results);
}

StudyReport make_report(const StudyResults& results) {
  StudyReport report{.summary = summarize(results, compare_with_first(results))};
  report.json = summary_json(report.summary, Json::object());
  report.markdown = provenance_text() + study_text(report.summary, TableFormat::markdown);
  report.terminal = study_text(report.summary, TableFormat::terminal);
  return report;
}

std::string write_report(const StudyFolder& folder, const StudyReport& report, const StudyResults& results) {
  write_file_atomically(folder.file("summary.csv"), study_csv(results));
  write_file_atomically(folder.file("summary.md"), report.markdown);
  write_file_atomically(folder.file("summary.json"), sealed(summary_text(report.json)));
  const std::string path = folder.path().string();
  if (!has_page()) return fmt::format("written: {}/summary.json, .csv, .md ({})", path, page_advice());
  write_html(folder.file("report.html"), study_source(folder, report), report, results);
  return fmt::format("written: {}/summary.json, .csv, .md\nlook at: {}/report.html", path, path);
}

void say_left_out(const DroppedRun& run) {
  say_progress(fmt::format("left out: {}, seed {} ({}): {}", run.cell, run.seed, run.id, run.why));
}

void refuse_poorer_summary(const StudyFolder& folder, const std::vector<DroppedRun>& dropped) {
  if (dropped.empty()) return;
  for (const DroppedRun& run : dropped) say_left_out(run);
  fail(
      "'{}' counts {} that can no longer be read; it and the files beside it were left as they are (report --out FILE "
      "writes a page of what is left)",
      folder.file("summary.json").string(), dropped.size() == 1 ? "a run" : fmt::format("{} runs", dropped.size()));
}

void leave_report(const StudyFolder& folder, const StudyPlan& plan, const StudyResults& results, bool as_json) {
  // Runs of another plan may go; those of this one that were there must not.
  std::set<std::string> planned;
  for (const PlannedRun& run : result_runs(plan, results.rates)) planned.insert(run.id);
  std::vector<DroppedRun> dropped = dropped_runs(folder, results);
  std::erase_if(dropped, [&](const DroppedRun& run) { return !planned.contains(run.id); });
  refuse_poorer_summary(folder, dropped);
  const StudyReport report = make_report(plan, results);
  const std::string written = write_report(folder, report, results);
  if (as_json) {
    print_out("{}", summary_text(report.json));
    return;
  }
  print_out("{}\n{}\n", report.terminal, written);
}

}  // namespace phasor::app
