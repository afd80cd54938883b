#pragma once
// What a study leaves behind: summary.json, summary.csv, summary.md, and tables on the terminal.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/study/study_folder.h"
#include "phasor/study/study_summary.h"

namespace phasor::app {

// The text of summary.json: `more` stands behind the study's own members, and "times", last, also says what made it.
std::string summary_json(const StudySummary& summary, const nlohmann::ordered_json& more);

// For the head of summary.md: version, commit, machine and date.
std::string provenance_text();

// Written aside and renamed.
void write_summary(const StudyFolder& folder, const StudyResults& results, const std::string& json,
                   const std::string& markdown);

// All of it for a study without claims, with compare_with_first(). With `as_json`, summary.json goes to stdout in place
// of tables.
void report_study(const StudyFolder& folder, const StudyResults& results, bool as_json);

// Every encoding against the first, where task, protocol and variant are equal, by accuracy and by steps to 90 %. A
// family is one number in one such group; of a group with more than seven encodings the first seven take part.
std::vector<Comparison> compare_with_first(const StudyResults& results);

}  // namespace phasor::app
