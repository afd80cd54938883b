#include "phasor/formula/block_run.h"

#include <algorithm>

#include "phasor/formula/opcode.h"

namespace phasor {
namespace {

FormulaScratch& thread_scratch() {
  thread_local FormulaScratch scratch;
  return scratch;
}

bool reads(const FormulaInstruction& instruction, const std::vector<char>& set) {
  const int operands = operand_count(instruction.opcode);
  return (operands > 0 && set[static_cast<size_t>(instruction.a)] != 0) ||
         (operands > 1 && set[static_cast<size_t>(instruction.b)] != 0);
}

}  // namespace

FormulaBlockRun::FormulaBlockRun(const FormulaProgram& program, const FormulaRow& row)
    : program_(program), row_(row), scratch_(thread_scratch()) {
  if (scratch_.values.size() < size()) scratch_.values.resize(size());
  scratch_.places.resize(size());
  scratch_.varies.resize(size());
  const int64_t lanes = std::min(row.columns, kFormulaLanes);
  for (size_t i = 0; i < size(); ++i) {
    double* block = scratch_.values[i].lanes;
    scratch_.places[i] = block;
    scratch_.varies[i] =
        instruction(i).opcode == FormulaOpcode::column_variable || reads(instruction(i), scratch_.varies) ? 1 : 0;
    if (!varies(i)) std::fill_n(block, lanes, single(i));
  }
}

double FormulaBlockRun::single(size_t i) const {
  const FormulaInstruction& own = instruction(i);
  switch (own.opcode) {
    case FormulaOpcode::constant:
      return own.constant;
    case FormulaOpcode::row_variable:
      return row_.row_values[own.a];
    case FormulaOpcode::parameter:
      return row_.parameters[own.a];
    default: {
      double result = 0.0;
      forward_lanes(own.opcode, lane_values(i), &result, 1);
      return result;
    }
  }
}

LaneValues FormulaBlockRun::lane_values(size_t i) const {
  const FormulaInstruction& own = instruction(i);
  const int operands = operand_count(own.opcode);
  return {.x = operands > 0 ? values(static_cast<size_t>(own.a)) : nullptr,
          .y = operands > 1 ? values(static_cast<size_t>(own.b)) : nullptr,
          .z = values(i)};
}

void FormulaBlockRun::forward(int64_t first, int64_t count) {
  for (size_t i = 0; i < size(); ++i) {
    if (!varies(i)) continue;
    if (instruction(i).opcode == FormulaOpcode::column_variable) {
      scratch_.places[i] = row_.column_values[instruction(i).a] + first;
    } else {
      forward_lanes(instruction(i).opcode, lane_values(i), scratch_.values[i].lanes, count);
    }
  }
}

}  // namespace phasor
