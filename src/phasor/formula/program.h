#pragma once
// A formula ready to be evaluated: a list of instructions, each of which reads results of earlier ones.
// The last instruction's result is the formula's value. Plain data, so that any backend can run it.
#include <cstdint>
#include <vector>

namespace phasor {

enum class FormulaOpcode : uint8_t {
  constant,         // the instruction's own number
  row_variable,     // number `a` of the variables that are one value per row of a table
  column_variable,  // number `a` of those that are one value per column
  parameter,        // number `a` of the learned numbers
  add,
  subtract,
  multiply,
  divide,
  power,
  negate,
  abs,
  sign,
  log,
  exp,
  sqrt,
  sin,
  cos,
  tanh,
  min,
  max,
  floor,
  less,  // comparisons give 1 or 0
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
};

struct FormulaInstruction {
  FormulaOpcode opcode = FormulaOpcode::constant;
  int32_t a = 0;  // operands: places of earlier instructions, or the number of a variable or parameter
  int32_t b = 0;
  double constant = 0.0;

  bool operator==(const FormulaInstruction&) const = default;
};

struct FormulaProgram {
  std::vector<FormulaInstruction> instructions;
  int32_t row_variables = 0;
  int32_t column_variables = 0;
  int32_t parameters = 0;

  bool operator==(const FormulaProgram&) const = default;
};

}  // namespace phasor
