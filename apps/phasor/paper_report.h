#pragma once
// What 'phasor reproduce' leaves behind and shows.
#include "phasor/study/study_folder.h"

namespace phasor::app {

// summary.json with claims, audit and published numbers, summary.csv, summary.md; claims and tables on stdout, or
// summary.json there.
void report_paper(const StudyFolder& folder, const StudyResults& results, bool as_json);

}  // namespace phasor::app
