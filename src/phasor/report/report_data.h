#pragma once
// What the report's page shows, as one JSON document: docs/formats.md describes it.
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/study/records/study_results.h"

namespace phasor {

struct ReportSource {
  std::string kind;    // "paper", "study" or "run"
  std::string folder;  // its name
  std::string repeat;  // the command that made the study; empty: not known
  std::string report;  // the command that makes the report
  std::function<std::filesystem::path(const RunRecord&)> run_folder;
};

const Fields<ReportSource>& json_fields(const ReportSource*);

// `summary`: what summary.json holds.
nlohmann::ordered_json report_data(const ReportSource& source, const StudyResults& results,
                                   const nlohmann::ordered_json& summary);

}  // namespace phasor
