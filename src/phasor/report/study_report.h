#pragma once
// What a study leaves behind: summary.json, summary.csv, claims.csv, summary.md, report.html, and tables for a
// terminal.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/report/provenance.h"
#include "phasor/report/report_data.h"
#include "phasor/report/story.h"
#include "phasor/study/records/dropped_runs.h"
#include "phasor/study/records/study_folder.h"
#include "phasor/study/summary/study_summary.h"

namespace phasor {

// A study put into words and numbers. One of arXiv 2505.13027 has claims, audit and published numbers too.
struct StudyReport {
  bool paper = false;
  StudySummary summary;
  std::vector<paper::JudgedClaim> claims;  // likewise
  Story story;                             // of a reproduction and of the road; else without parts
  nlohmann::ordered_json json;             // summary.json
  std::string markdown, terminal;          // summary.md, and the same for a terminal
  std::string claims_csv;                  // of a study of the paper
};

// The only part of summary.json that depends on the clock or the machine.
struct SummaryTimes {
  Provenance made;
  std::vector<RunTime> runs;
};
const Fields<SummaryTimes>& json_fields(const SummaryTimes*);

// Where a study stands to what it registered.
struct AsRegistered {
  std::optional<Registration> registered;
  std::vector<StudyExtension> extensions;  // as in study.json
  std::vector<std::string> post_hoc;       // reasons
  std::string text;
};
const Fields<AsRegistered>& json_fields(const AsRegistered*);

// What a study of this plan registers when it starts: for one of arXiv 2505.13027, its claims too.
Registration registration_of(const StudyPlan& plan);

// By the numbers that a reproduction or a study is compared by: paper_comparisons(), compare_with_first(). Verdicts
// that are not as registered are marked as post hoc.
StudyReport make_report(const StudyPlan& plan, const StudyResults& results,
                        const std::optional<Registration>& registered,
                        const std::vector<StudyExtension>& extensions = {});

// The planned ones of a study.
std::vector<Comparison> planned_comparisons(const StudyPlan& plan, const StudyResults& results);

// Of a run that stands alone.
StudyReport make_report(const StudyResults& results);

// "left out: rope, seed 3 (...): why"
std::string left_out_text(const DroppedRun& run);
// Names them (base/notice.h) and throws Error, where there are any: a summary must not get poorer.
void refuse_poorer_summary(const StudyFolder& folder, const std::vector<DroppedRun>& dropped);
// Likewise for runs that the summary beside them counts, that are part of the plan, and that the results lack.
void refuse_poorer_summary(const StudyFolder& folder, const StudyPlan& plan, const StudyResults& results);

// All files, aside and renamed. Returns their names, for a person.
std::string write_report(const StudyFolder& folder, const StudyReport& report, const StudyResults& results);

// Where the report is and how to see all of its tables: the last lines of a screen.
std::vector<std::string> where_to_look(const StudyFolder& folder);

// How to get the page, where this build has none.
std::string page_advice();

ReportSource study_source(const StudyFolder& folder, const StudyReport& report);
// Of a run folder.
ReportSource run_source(const std::filesystem::path& folder);

// report.html alone, aside and renamed.
void write_page(const std::filesystem::path& path, const ReportSource& source, const StudyReport& report,
                const StudyResults& results);

}  // namespace phasor
