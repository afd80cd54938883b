#pragma once
// report.html: the page with a study or a run in it.
#include <filesystem>
#include <string>

#include "phasor/report/report_data.h"
#include "study_report.h"

namespace phasor::app {

// How to get the page, where this binary has none.
std::string page_advice();

ReportSource study_source(const StudyFolder& folder, const StudyReport& report);

// Written aside and renamed.
void write_html(const std::filesystem::path& path, const ReportSource& source, const StudyReport& report,
                const StudyResults& results);

}  // namespace phasor::app
