#include "phasor/report/study_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/json_fields.h"
#include "phasor/base/notice.h"
#include "phasor/base/seal.h"
#include "phasor/base/shell_text.h"
#include "phasor/base/wrapped_text.h"
#include "phasor/paper/audit.h"
#include "phasor/paper/judge_claims.h"
#include "phasor/paper/paper_comparisons.h"
#include "phasor/paper/paper_data.h"
#include "phasor/paper/paper_json.h"
#include "phasor/paper/paper_study.h"
#include "phasor/paper/paper_text.h"
#include "phasor/paper/published.h"
#include "phasor/paper/road_study.h"
#include "phasor/paper/trained_road_output.h"
#include "phasor/report/conclusions_output.h"
#include "phasor/report/page.h"
#include "phasor/report/provenance.h"
#include "phasor/report/story_output.h"
#include "phasor/study/summary/study_comparisons.h"
#include "phasor/study/summary/study_csv.h"
#include "phasor/study/summary/study_json.h"
#include "phasor/study/summary/study_text.h"

namespace phasor {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Conclusions {
  std::vector<Answer> answers;
  std::vector<Oddity> oddities;

  // With an empty line behind it.
  std::string text(TableFormat format) const {
    const std::string text = conclusions_text(answers, oddities, format);
    return text.empty() ? "" : text + "\n";
  }
};

Conclusions conclusions_of(const StudySummary& summary, bool paper) {
  return {study_answers(summary, paper), study_oddities(summary)};
}

// `more` stands behind the study's own members, and "times", last, also says what made it.
Json summary_json(const StudySummary& summary, const Conclusions& found, const Json& more) {
  Json json = to_json(summary);
  json.erase("times");
  json["answers"] = answers_json(found.answers);
  json["oddities"] = oddities_json(found.oddities);
  json.update(more);
  json["times"] = write_json(SummaryTimes{Provenance::here(), summary.times});
  return json;
}

std::string markdown_of(const std::string& text) { return Provenance::here().text() + "\n\n" + text; }

AsRegistered standing_of(const StudyPlan& plan, const std::optional<Registration>& registered,
                         const std::vector<StudyExtension>& extensions) {
  const Registration now = registration_of(plan);
  return {.registered = registered,
          .extensions = extensions,
          .post_hoc = post_hoc_reasons(registered, now, extensions),
          .text = registration_text(registered, now, extensions)};
}

std::string paragraph(const std::string& text, TableFormat format) {
  return (format == TableFormat::markdown ? text : wrapped(text, kTerminalColumns)) + "\n\n";
}

StudyResults without_added(StudyResults results) {
  for (CellRuns& cell : results.cells) {
    const auto is_added = [&](const auto& run) { return cell.added_seeds.contains(run.seed); };
    cell.planned -= std::ssize(cell.added_seeds);
    std::erase_if(cell.runs, is_added);
    std::erase_if(cell.failures, is_added);
    cell.added_seeds.clear();
  }
  return results;
}

// Which claims an extension has touched: those that read otherwise without its runs.
void mark_extensions(std::vector<paper::JudgedClaim>& claims, const StudyResults& results) {
  const auto is_extended = [](const CellRuns& cell) { return cell.is_extended(); };
  if (std::none_of(results.cells.begin(), results.cells.end(), is_extended)) return;
  const std::vector<paper::JudgedClaim> before = paper::judge_claims(without_added(results));
  for (size_t i = 0; i < claims.size(); ++i) {
    claims[i].extension = paper::claims_json({claims[i]}) != paper::claims_json({before.at(i)});
  }
}

StudyReport paper_report(const StudyResults& results, const AsRegistered& standing) {
  StudyReport report{.paper = true, .summary = summarize(results, paper::paper_comparisons(results))};
  const Conclusions found = conclusions_of(report.summary, report.paper);
  std::vector<paper::JudgedClaim> claims = paper::judge_claims(results);
  mark_extensions(claims, results);
  for (paper::JudgedClaim& claim : claims) claim.post_hoc = !standing.post_hoc.empty();
  const std::vector<paper::AuditBlock> audit = paper::audit(results);
  report.claims_csv = paper::claims_csv(claims);
  report.story = study_story(report.summary, claims);
  report.json = summary_json(report.summary, found,
                             {{"story", story_json(report.story)},
                              {"registration", write_json(standing)},
                              {"claims", paper::claims_json(claims)},
                              {"audit", paper::audit_json(audit)},
                              {"published", paper::published_json(paper::published())}});
  // Verdicts first: what one came for.
  const auto text = [&](TableFormat format) {
    return paper::claims_text(claims, format) + "\n" + paragraph(standing.text, format) + found.text(format) +
           paper::audit_text(audit, format) + "\n" + paper::published_text(results, format) + "\n" +
           study_text(report.summary, format);
  };
  report.markdown = markdown_of(story_text(report.story, TableFormat::markdown) + "\n" + text(TableFormat::markdown));
  report.terminal = story_screen(report.story) + "\n" + text(TableFormat::terminal);
  return report;
}

Story road_story(const StudyResults& results) {
  const paper::TrainedRoad road = paper::trained_road(results);
  return {.title = results.name,
          .parts = {{.id = "road",
                     .question = "What does each step of the road lack, and what does that cost?",
                     .key = std::string(paper::trained_road_key()),
                     .table = paper::trained_road_table(road),
                     .sentences = paper::trained_road_reading(road)}}};
}

// `standing` is null where nothing is registered: a run that stands alone. With `story` before everything else, where
// it has parts.
StudyReport plain_report(const StudyResults& results, const AsRegistered* standing, Story story) {
  StudyReport report{.summary = summarize(results, compare_with_first(results)), .story = std::move(story)};
  const Conclusions found = conclusions_of(report.summary, report.paper);
  Json more = Json::object();
  if (!report.story.parts.empty()) more["story"] = story_json(report.story);
  if (standing != nullptr) more["registration"] = write_json(*standing);
  report.json = summary_json(report.summary, found, more);
  const auto text = [&](TableFormat format) {
    const std::string first = story_text(report.story, format);
    return first + (first.empty() ? "" : "\n") + found.text(format) +
           (standing == nullptr ? "" : paragraph(standing->text, format)) + study_text(report.summary, format);
  };
  report.markdown = markdown_of(text(TableFormat::markdown));
  report.terminal = text(TableFormat::terminal);
  return report;
}

// The name of a folder however it was written: "runs/quick/", "." and so on.
std::string folder_name(const fs::path& path) {
  const fs::path whole = fs::weakly_canonical(path);
  return whole.has_filename() ? whole.filename().string() : whole.parent_path().filename().string();
}

std::string first_line(const fs::path& path) {
  if (!fs::exists(path)) return "";
  const std::string text = read_file(path);
  return text.substr(0, text.find('\n'));
}

}  // namespace

const Fields<SummaryTimes>& json_fields(const SummaryTimes*) {
  using T = SummaryTimes;
  static const Fields<T> fields =
      joined_fields<T>({part_fields(&T::made, fields_of<Provenance>()), {field("runs", &T::runs, "every run once")}});
  return fields;
}

const Fields<AsRegistered>& json_fields(const AsRegistered*) {
  using R = AsRegistered;
  static const Fields<R> fields = {field("registered", &R::registered, "as in study.json"),
                                   field("extensions", &R::extensions, "likewise; often empty").since_later(),
                                   field("post_hoc", &R::post_hoc, "reasons; empty where all is as registered"),
                                   field("text", &R::text, "in a sentence")};
  return fields;
}

Registration registration_of(const StudyPlan& plan) {
  return registration_of(plan, paper::is_paper_study(plan) ? paper::embedded_claims() : std::string_view());
}

StudyReport make_report(const StudyPlan& plan, const StudyResults& results,
                        const std::optional<Registration>& registered, const std::vector<StudyExtension>& extensions) {
  const AsRegistered standing = standing_of(plan, registered, extensions);
  if (paper::is_paper_study(plan)) return paper_report(results, standing);
  return plain_report(results, &standing, paper::is_road_study(plan) ? road_story(results) : Story{});
}

std::vector<Comparison> planned_comparisons(const StudyPlan& plan, const StudyResults& results) {
  return paper::is_paper_study(plan) ? paper::paper_comparisons(results) : compare_with_first(results);
}

StudyReport make_report(const StudyResults& results) { return plain_report(results, nullptr, {}); }

std::string write_report(const StudyFolder& folder, const StudyReport& report, const StudyResults& results) {
  write_file_atomically(folder.file("summary.csv"), study_csv(results));
  if (report.paper) write_file_atomically(folder.file("claims.csv"), report.claims_csv);
  write_file_atomically(folder.file("summary.md"), report.markdown);
  write_file_atomically(folder.file("summary.json"), sealed(summary_text(report.json)));
  const std::string path = folder.path().string();
  if (!has_page()) return fmt::format("written: {}/summary.json, .csv, .md ({})", path, page_advice());
  write_page(folder.file("report.html"), study_source(folder, report), report, results);
  return fmt::format("written: {}/summary.json, .csv, .md\nlook at: {}/report.html", path, path);
}

std::vector<std::string> where_to_look(const StudyFolder& folder) {
  const std::string path = folder.path().string();
  const std::string tables = "All tables: " + shell_text({"report", path, "--text"});
  if (!has_page()) return {tables, "No page: built without npm (scripts/install_dependencies.sh web)"};
  const std::string page = fmt::format("Report: {}/report.html", path);
  if (page.size() + tables.size() + 4 > kTerminalColumns) return {page, tables};
  return {page + "    " + tables};
}

std::string left_out_text(const DroppedRun& run) {
  return fmt::format("left out: {}, seed {} ({}): {}", run.cell, run.seed, run.id, run.why);
}

void refuse_poorer_summary(const StudyFolder& folder, const std::vector<DroppedRun>& dropped) {
  if (dropped.empty()) return;
  for (const DroppedRun& run : dropped) notice(left_out_text(run));
  fail(
      "'{}' counts {} that can no longer be read; it and the files beside it were left as they are (report --out FILE "
      "writes a page of what is left)",
      folder.file("summary.json").string(), dropped.size() == 1 ? "a run" : fmt::format("{} runs", dropped.size()));
}

void refuse_poorer_summary(const StudyFolder& folder, const StudyPlan& plan, const StudyResults& results) {
  std::set<std::string> planned;
  for (const PlannedRun& run : result_runs(plan, results.rates)) planned.insert(run.id);
  std::vector<DroppedRun> dropped = dropped_runs(folder, results);
  std::erase_if(dropped, [&](const DroppedRun& run) { return !planned.contains(run.id); });
  refuse_poorer_summary(folder, dropped);
}

std::string page_advice() {
  return "this phasor was built without the report's page: install nodejs and npm and build again "
         "(scripts/install_dependencies.sh web); --text, summary.md, .csv and .json need neither";
}

ReportSource study_source(const StudyFolder& folder, const StudyReport& report) {
  return {.kind = report.paper ? "paper" : "study",
          .folder = folder_name(folder.path()),
          .repeat = first_line(folder.file(kCommandFile)),
          .report = shell_text({"report", folder.path().string()}),
          .run_folder = [path = folder.path()](const RunRecord& run) { return path / "runs" / run.id; }};
}

ReportSource run_source(const fs::path& folder) {
  return {.kind = "run",
          .folder = folder_name(folder),
          .repeat = shell_text({"train", "--config", (folder / "config.json").string(), "--out", "runs/again"}),
          .report = shell_text({"report", folder.string()}),
          .run_folder = [folder](const RunRecord&) { return folder; }};
}

void write_page(const fs::path& path, const ReportSource& source, const StudyReport& report,
                const StudyResults& results) {
  write_file_atomically(path, page_with(report_data(source, results, report.json)));
}

}  // namespace phasor
