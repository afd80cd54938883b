#pragma once
// Runs as far as a summary.csv has them, for the product's own tables and comparisons: what stands on a page is then
// computed by the code that computed it for the report.
#include <string>
#include <vector>

#include "phasor/paper/claim.h"
#include "phasor/study/records/study_results.h"
#include "results/csv_table.h"

namespace phasor::results {

CellName cell_of(const CsvTable& table, const CsvRow& row);

// Cells in the order of their first line. A line without a test accuracy is a run that failed. Columns that the file
// lacks leave their members as they are in a new RunRecord.
StudyResults recorded_runs(const CsvTable& table, const std::vector<const CsvRow*>& rows, std::string name = "");
std::vector<const CsvRow*> all_rows(const CsvTable& table);

// Of a claims.csv: everything but the evidence.
std::vector<paper::JudgedClaim> recorded_claims(const CsvTable& table);

}  // namespace phasor::results
