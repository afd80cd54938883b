#pragma once
// What all code that walks over instructions has to know about their opcodes.
#include "phasor/formula/program.h"

namespace phasor {

// How many of `a` and `b` name earlier instructions: 0, 1 or 2.
constexpr int operand_count(FormulaOpcode opcode) {
  switch (opcode) {
    case FormulaOpcode::constant:
    case FormulaOpcode::row_variable:
    case FormulaOpcode::column_variable:
    case FormulaOpcode::parameter:
      return 0;
    case FormulaOpcode::negate:
    case FormulaOpcode::abs:
    case FormulaOpcode::sign:
    case FormulaOpcode::log:
    case FormulaOpcode::exp:
    case FormulaOpcode::sqrt:
    case FormulaOpcode::sin:
    case FormulaOpcode::cos:
    case FormulaOpcode::tanh:
    case FormulaOpcode::floor:
      return 1;
    default:
      return 2;
  }
}

// False for steps, whose derivative is 0 wherever it exists.
constexpr bool passes_derivatives(FormulaOpcode opcode) {
  switch (opcode) {
    case FormulaOpcode::sign:
    case FormulaOpcode::floor:
    case FormulaOpcode::less:
    case FormulaOpcode::less_equal:
    case FormulaOpcode::greater:
    case FormulaOpcode::greater_equal:
    case FormulaOpcode::equal:
    case FormulaOpcode::not_equal:
      return false;
    default:
      return true;
  }
}

}  // namespace phasor
