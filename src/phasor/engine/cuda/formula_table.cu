// A thread interprets the program for one entry of the table at a time. Its results are in working memory, those of one
// instruction side by side for all threads of the grid.
#include "phasor/engine/cuda/cuda_backend.h"
#include "phasor/engine/cuda/elements.h"
#include "phasor/engine/cuda/formula_math.h"
#include "phasor/engine/cuda/row_columns.h"

namespace phasor {
namespace cuda {
namespace {

constexpr int kThreads = 128;
constexpr int64_t kMostBlocks = 512;

struct Program {
  const FormulaInstruction* instructions;
  int32_t size, parameters;
};

// One thread's numbers: number i at data[i * step].
struct Strided {
  double* data;
  int64_t step;
  __device__ double& operator[](int64_t i) const { return data[i * step]; }
};

__device__ int64_t place(const FormulaTable& formula, int64_t parameter, int64_t group) {
  return formula.parameter_place(parameter, 0) + group * formula.parameter_place(parameter, 1);
}

__device__ void interpret(const Program& program, const FormulaTable& formula, int64_t row, int64_t column,
                          const Strided& values) {
  const int64_t group = formula.row_group(row);
  for (int32_t i = 0; i < program.size; ++i) {
    const FormulaInstruction own = program.instructions[i];
    double value = 0.0;
    switch (own.opcode) {
      case FormulaOpcode::constant:
        value = own.constant;
        break;
      case FormulaOpcode::row_variable:
        value = formula.row_values(own.a, row);
        break;
      case FormulaOpcode::column_variable:
        value = formula.column_values(own.a, column);
        break;
      case FormulaOpcode::parameter:
        value = double{formula.parameters(place(formula, own.a, group))};
        break;
      default: {
        const double x = values[own.a];
        value = formula_value(own.opcode, x, operand_count(own.opcode) == 2 ? values[own.b] : 0.0);
      }
    }
    values[i] = value;
  }
}

__global__ __launch_bounds__(kThreads) void formula_forward(FormulaTableForward op, Program program, double* work) {
  const int64_t width = op.table.extent(1);
  const Strided values{work + grid_first(), grid_step()};
  for (int64_t i = grid_first(); i < op.table.extent(0) * width; i += grid_step()) {
    const int64_t row = i / width, column = i % width;
    const RowColumns columns = row_columns(op.formula.row_columns, row, width);
    if (op.formula.row_group(row) < 0 || column < columns.from || column >= columns.from + columns.count) continue;
    interpret(program, op.formula, row, column, values);
    op.table(row, column) += static_cast<float>(values[program.size - 1]);
  }
}

// of_row[row][k] = sum over the row's columns of dtable * d value / d parameter k: each thread adds every 128th column,
// and the threads are added in order. A block per row.
__global__ __launch_bounds__(kThreads) void formula_backward(FormulaTableBackward op, Program program, double* work,
                                                             double* of_row) {
  const FormulaTable& formula = op.formula;
  const int64_t rows = op.dtable.extent(0), width = op.dtable.extent(1);
  const Strided values{work + grid_first(), grid_step()};
  const Strided adjoints{work + int64_t{program.size} * grid_step() + grid_first(), grid_step()};
  double* block_sums =
      work + 2 * int64_t{program.size} * grid_step() + int64_t{blockIdx.x} * kThreads * program.parameters;
  const Strided sums{block_sums + threadIdx.x, kThreads};
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    for (int32_t k = 0; k < program.parameters; ++k) sums[k] = 0.0;
    const RowColumns columns = row_columns(formula.row_columns, row, width);
    const int64_t count = formula.row_group(row) < 0 ? 0 : columns.count;
    for (int64_t c = threadIdx.x; c < count; c += kThreads) {
      const int64_t column = columns.from + c;
      const double dvalue{op.dtable(row, column)};
      if (dvalue == 0.0) continue;  // what has no weight has no say
      interpret(program, formula, row, column, values);
      for (int32_t i = 0; i < program.size; ++i) adjoints[i] = 0.0;
      adjoints[program.size - 1] = dvalue;
      for (int32_t i = program.size - 1; i >= 0; --i) {
        const FormulaInstruction own = program.instructions[i];
        const double adjoint = adjoints[i];
        if (adjoint == 0.0) continue;
        if (own.opcode == FormulaOpcode::parameter) sums[own.a] += adjoint;
        const int operands = operand_count(own.opcode);
        if (operands == 0 || !passes_derivatives(own.opcode)) continue;
        const double x = values[own.a], y = operands == 2 ? values[own.b] : 0.0, z = values[i];
        adjoints[own.a] += adjoint * formula_slope(own.opcode, true, x, y, z);
        if (operands == 2) adjoints[own.b] += adjoint * formula_slope(own.opcode, false, x, y, z);
      }
    }
    __syncthreads();
    for (int64_t k = threadIdx.x; k < program.parameters; k += kThreads) {
      double sum = 0.0;
      for (int thread = 0; thread < kThreads; ++thread) sum += block_sums[k * kThreads + thread];
      of_row[row * program.parameters + k] = sum;
    }
    __syncthreads();
  }
}

// Rows in order, in double: the first row of a group (of all, where the groups share the number) adds up the others'.
// places: where in dparameters the sum belongs, -1 for the other rows; both [rows, parameters].
__global__ void add_rows(FormulaTableBackward op, int64_t parameters, const double* of_row, double* sums,
                         int64_t* places) {
  const FormulaTable& formula = op.formula;
  const int64_t rows = op.dtable.extent(0);
  for (int64_t i = grid_first(); i < rows * parameters; i += grid_step()) {
    const int64_t first = i / parameters, k = i % parameters;
    const int64_t group = formula.row_group(first);
    places[i] = -1;
    if (group < 0) continue;
    const bool shared = formula.parameter_place(k, 1) == 0;
    const auto belongs = [&](int64_t row) {
      const int64_t other = formula.row_group(row);
      return shared ? other >= 0 : other == group;
    };
    bool leads = true;
    for (int64_t row = 0; row < first && leads; ++row) leads = !belongs(row);
    if (!leads) continue;
    double sum = 0.0;
    for (int64_t row = first; row < rows; ++row) {
      if (belongs(row)) sum += of_row[row * parameters + k];
    }
    sums[i] = sum;
    places[i] = place(formula, k, group);
  }
}

// A block takes a sum. Learned numbers may share a place: the first of them adds the others' too, in order, so that a
// place has one writer.
__global__ __launch_bounds__(kThreads) void add_places(View<float, 1> dparameters, int64_t count, const double* sums,
                                                       const int64_t* places) {
  for (int64_t i = blockIdx.x; i < count; i += gridDim.x) {
    const int64_t own = places[i];
    if (own < 0) continue;
    bool before = false, behind = false;
    for (int64_t j = threadIdx.x; j < count; j += kThreads) {
      if (places[j] == own) (j < i ? before : behind) |= j != i;
    }
    const bool leads = __syncthreads_or(before) == 0;
    const bool alone = __syncthreads_or(behind) == 0;
    if (!leads || threadIdx.x != 0) continue;
    double value{dparameters(own)};
    for (int64_t j = i; j < (alone ? i + 1 : count); ++j) {
      if (places[j] == own) value += sums[j];
    }
    dparameters(own) = static_cast<float>(value);  // rounded once
  }
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const FormulaTableForward& op) {
  using namespace cuda;
  if (op.table.size() == 0) return;
  const FormulaProgram& host = *op.formula.program;
  const Program program{instructions(host), static_cast<int32_t>(host.instructions.size()), host.parameters};
  const int64_t blocks = std::min(kMostBlocks, chunks_of(op.table.size(), kThreads));
  const ScratchArray<double> work(context(), blocks * kThreads * program.size);
  formula_forward<<<static_cast<unsigned>(blocks), kThreads, 0, context().stream>>>(op, program, work.data());
  PHASOR_CUDA_LAUNCHED();
}

void CudaBackend::run(const FormulaTableBackward& op) {
  using namespace cuda;
  const FormulaProgram& host = *op.formula.program;
  if (host.parameters == 0 || op.dtable.size() == 0) return;
  const Program program{instructions(host), static_cast<int32_t>(host.instructions.size()), host.parameters};
  const int64_t rows = op.dtable.extent(0);
  const int64_t blocks = std::min(kMostBlocks, rows);
  const ScratchArray<double> work(context(), blocks * kThreads * (2 * int64_t{program.size} + program.parameters));
  const ScratchArray<double> of_row(context(), rows * program.parameters);
  formula_backward<<<static_cast<unsigned>(blocks), kThreads, 0, context().stream>>>(op, program, work.data(),
                                                                                     of_row.data());
  PHASOR_CUDA_LAUNCHED();
  const int64_t count = rows * program.parameters;
  const ScratchArray<double> sums(context(), count);
  const ScratchArray<int64_t> places(context(), count);
  add_rows<<<grid_of(count, kThreads), kThreads, 0, context().stream>>>(op, program.parameters, of_row.data(),
                                                                        sums.data(), places.data());
  PHASOR_CUDA_LAUNCHED();
  add_places<<<grid_of(count, 1), kThreads, 0, context().stream>>>(op.dparameters, count, sums.data(), places.data());
  PHASOR_CUDA_LAUNCHED();
}

}  // namespace phasor
