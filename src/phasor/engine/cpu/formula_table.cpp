#include <algorithm>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/cpu_backend.h"
#include "phasor/engine/cpu/row_columns.h"
#include "phasor/engine/cpu/scratch.h"
#include "phasor/formula/evaluate.h"

namespace phasor {
namespace {

constexpr int64_t kEntryGrain = 2048;

int64_t row_grain(int64_t columns) { return std::max<int64_t>(1, kEntryGrain / std::max<int64_t>(1, columns)); }

int64_t place(const FormulaTable& formula, int64_t parameter, int64_t group) {
  return formula.parameter_place(parameter, 0) + group * formula.parameter_place(parameter, 1);
}

// What a row's formula reads, and room for one number per column, in the thread's scratch.
class RowInputs {
 public:
  RowInputs(const FormulaTable& formula, int64_t columns) : formula_(formula) {
    const FormulaProgram& program = *formula.program;
    const int64_t doubles = program.row_variables + program.parameters + columns;
    row_values_ =
        static_cast<double*>(thread_scratch(ScratchSlot::tile, doubles * static_cast<int64_t>(sizeof(double))));
    parameters_ = row_values_ + program.row_variables;
    per_column_ = parameters_ + program.parameters;
    column_values_ = static_cast<const double**>(
        thread_scratch(ScratchSlot::packed_a, program.column_variables * static_cast<int64_t>(sizeof(const double*))));
  }

  double* per_column() const { return per_column_; }

  FormulaRow gather(int64_t row, const RowColumns& columns) const {
    const FormulaProgram& program = *formula_.program;
    for (int32_t v = 0; v < program.row_variables; ++v) row_values_[v] = formula_.row_values(v, row);
    for (int32_t v = 0; v < program.column_variables; ++v) {
      column_values_[v] = formula_.column_values.row(v) + columns.from;
    }
    const int64_t group = formula_.row_group(row);
    for (int32_t k = 0; k < program.parameters; ++k) {
      parameters_[k] = double{formula_.parameters(place(formula_, k, group))};
    }
    return {row_values_, column_values_, parameters_, columns.count};
  }

 private:
  const FormulaTable& formula_;
  double* row_values_ = nullptr;
  double* parameters_ = nullptr;
  double* per_column_ = nullptr;
  const double** column_values_ = nullptr;
};

}  // namespace

void CpuBackend::run(const FormulaTableForward& op) {
  const int64_t width = op.table.extent(1);
  parallel_for(op.table.extent(0), row_grain(width), [&](int64_t begin, int64_t end) {
    const RowInputs inputs(op.formula, width);
    const double* values = inputs.per_column();
    for (int64_t r = begin; r < end; ++r) {
      const RowColumns columns = row_columns(op.formula.row_columns, r, width);
      if (op.formula.row_group(r) < 0 || columns.count == 0) continue;
      evaluate(*op.formula.program, inputs.gather(r, columns), inputs.per_column());
      float* table = op.table.row(r) + columns.from;
#pragma omp simd
      for (int64_t c = 0; c < columns.count; ++c) table[c] += static_cast<float>(values[c]);
    }
  });
}

void CpuBackend::run(const FormulaTableBackward& op) {
  const FormulaTable& formula = op.formula;
  const int64_t rows = op.dtable.extent(0);
  const int64_t width = op.dtable.extent(1);
  const int64_t parameters = formula.program->parameters;
  if (parameters == 0) return;

  std::vector<double> of_row(static_cast<size_t>(rows * parameters));
  parallel_for(rows, row_grain(width), [&](int64_t begin, int64_t end) {
    const RowInputs inputs(formula, width);
    double* dvalues = inputs.per_column();
    for (int64_t r = begin; r < end; ++r) {
      const RowColumns columns = row_columns(formula.row_columns, r, width);
      if (formula.row_group(r) < 0 || columns.count == 0) continue;
      const float* dtable = op.dtable.row(r) + columns.from;
      std::copy_n(dtable, columns.count, dvalues);
      differentiate(*formula.program, inputs.gather(r, columns), dvalues, &of_row[static_cast<size_t>(r * parameters)]);
    }
  });

  // Rows in order, in double: each number of dparameters is rounded once. What all groups share is with group 0.
  int64_t groups = 0;
  for (int64_t r = 0; r < rows; ++r) groups = std::max<int64_t>(groups, formula.row_group(r) + 1);
  std::vector<double> of_group(static_cast<size_t>(groups * parameters));
  const auto shared = [&](int64_t k) { return formula.parameter_place(k, 1) == 0; };
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t group = formula.row_group(r);
    if (group < 0) continue;
    for (int64_t k = 0; k < parameters; ++k) {
      of_group[static_cast<size_t>((shared(k) ? 0 : group) * parameters + k)] +=
          of_row[static_cast<size_t>(r * parameters + k)];
    }
  }
  for (int64_t group = 0; group < groups; ++group) {
    for (int64_t k = 0; k < parameters; ++k) {
      float& dparameter = op.dparameters(place(formula, k, group));
      dparameter = static_cast<float>(double{dparameter} + of_group[static_cast<size_t>(group * parameters + k)]);
    }
  }
}

}  // namespace phasor
