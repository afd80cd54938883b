#pragma once
// What a study leaves behind: summary.json, summary.csv, summary.md, report.html, and tables on the terminal.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "phasor/study/dropped_runs.h"
#include "phasor/study/study_folder.h"
#include "phasor/study/study_summary.h"

namespace phasor::app {

// A study put into words and numbers. One of arXiv 2505.13027 has claims, audit and published numbers too.
struct StudyReport {
  bool paper = false;
  StudySummary summary;
  nlohmann::ordered_json json;     // summary.json
  std::string markdown, terminal;  // summary.md, and the same for a terminal
};

// By the numbers that a reproduction or a study is compared by; see compare_with_first().
StudyReport make_report(const StudyPlan& plan, const StudyResults& results);

// Of a run that stands alone.
StudyReport make_report(const StudyResults& results);

// Names a run on the terminal that a report leaves out.
void say_left_out(const DroppedRun& run);
// Names them and throws Error, where there are any: a summary must not get poorer.
void refuse_poorer_summary(const StudyFolder& folder, const std::vector<DroppedRun>& dropped);

// Writes all files, aside and renamed, and says on stdout what was found and where it lies; with `as_json`,
// summary.json goes to stdout instead.
void leave_report(const StudyFolder& folder, const StudyPlan& plan, const StudyResults& results, bool as_json);

// The files alone. Returns their names, for a person.
std::string write_report(const StudyFolder& folder, const StudyReport& report, const StudyResults& results);

// Every encoding against the first, where task, protocol and variant are equal, by accuracy and by steps to 90 %. A
// family is one number in one such group; of a group with more than seven encodings the first seven take part.
std::vector<Comparison> compare_with_first(const StudyResults& results);

}  // namespace phasor::app
