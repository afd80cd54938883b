#pragma once
// A program's values over a row of a table, and their exact derivatives by the learned numbers.
#include <cstdint>

#include "phasor/formula/program.h"

namespace phasor {

// One row: the row's variables, and for each column variable its values over the columns.
struct FormulaRow {
  const double* row_values = nullptr;            // [row_variables]
  const double* const* column_values = nullptr;  // [column_variables], each [columns]
  const double* parameters = nullptr;            // [parameters]
  int64_t columns = 0;
};

// values[c] for each column, in double throughout. Columns are worked on in blocks: no allocation per call
// beyond what the thread keeps.
void evaluate(const FormulaProgram& program, const FormulaRow& row, double* values);

// dparameters[k] += sum over columns of dvalues[c] * d value[c] / d parameter k, in the order of the columns.
// Where a function has no finite derivative it counts as 0: abs and sign at 0, floor, comparisons, log and sqrt at
// 0, a division by 0, 0^y by its base for y < 1, x^y by y for x <= 0. A tie of min or max gives half to each side.
// What has no weight has no say: a column with dvalues[c] == 0 adds nothing even where its value is not finite, and
// so does the side that min or max did not take.
void differentiate(const FormulaProgram& program, const FormulaRow& row, const double* dvalues, double* dparameters);

}  // namespace phasor
