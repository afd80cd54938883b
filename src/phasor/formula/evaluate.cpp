#include "phasor/formula/evaluate.h"

#include <algorithm>

#include "phasor/formula/block_run.h"

namespace phasor {

void evaluate(const FormulaProgram& program, const FormulaRow& row, double* values) {
  if (row.columns == 0) return;
  FormulaBlockRun run(program, row);
  for (int64_t first = 0; first < row.columns; first += kFormulaLanes) {
    const int64_t count = std::min(row.columns - first, kFormulaLanes);
    run.forward(first, count);
    std::copy_n(run.values(run.size() - 1), count, values + first);
  }
}

}  // namespace phasor
