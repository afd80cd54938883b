#pragma once
// What the report's page shows, as one JSON document: docs/formats.md describes it.
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "phasor/study/records/study_results.h"

namespace phasor {

struct ReportSource {
  std::string kind;    // "paper", "study" or "run"
  std::string folder;  // its name
  std::string repeat;  // the command that made the study; empty: not known
  std::string report;  // the command that makes the report
  std::function<std::filesystem::path(const RunRecord&)> run_folder;
};

// `summary`: what summary.json holds. Files of pictures that are missing or damaged are left out.
nlohmann::ordered_json report_data(const ReportSource& source, const StudyResults& results,
                                   const nlohmann::ordered_json& summary);

}  // namespace phasor
