#pragma once
// A table of what encodings have learned, for people.
#include <string>
#include <vector>

#include "phasor/base/text_table.h"
#include "phasor/study/summary/cell_summary.h"

namespace phasor {

// Empty where no cell has learned numbers. Those of one name are a row of ranges where a cell has many.
std::string learned_text(const std::vector<CellSummary>& cells, TableFormat format);

}  // namespace phasor
