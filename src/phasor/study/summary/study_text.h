#pragma once
// A study for people: tables and plain sentences, as Markdown or for a terminal, where they are at most 100 columns
// wide unless a word alone is longer.
#include <string>
#include <vector>

#include "phasor/base/text_table.h"
#include "phasor/study/summary/comparison_text.h"
#include "phasor/study/summary/study_summary.h"

namespace phasor {

// One table for every task and protocol. Marks say what a mean leaves open: runs that have not converged, failed, or
// are missing.
std::string cells_text(const std::vector<CellSummary>& cells, TableFormat format);

// How learning rates were chosen; empty where none was.
std::string rates_text(const std::vector<RateChoice>& rates, TableFormat format);

std::string failures_text(const std::vector<RunFailure>& failures, TableFormat format);

// All of it, with comparisons and their answers.
std::string study_text(const StudySummary& summary, TableFormat format);

}  // namespace phasor
