#pragma once
// One instruction of a formula on the device, forward and backward, by the conventions of formula/evaluate.h. For .cu
// files.
#include "phasor/formula/opcode.h"

namespace phasor::cuda {

__device__ inline double formula_sign(double x) {
  if (x > 0.0) return 1.0;
  if (x < 0.0) return -1.0;
  return x == 0.0 ? 0.0 : x;  // NaN stays
}

// The value of an instruction with operands x and y. A NaN in gives a NaN out but for comparisons.
__device__ inline double formula_value(FormulaOpcode opcode, double x, double y) {
  switch (opcode) {
    case FormulaOpcode::add:
      return x + y;
    case FormulaOpcode::subtract:
      return x - y;
    case FormulaOpcode::multiply:
      return x * y;
    case FormulaOpcode::divide:
      return x / y;
    case FormulaOpcode::power:
      return pow(x, y);
    case FormulaOpcode::negate:
      return -x;
    case FormulaOpcode::abs:
      return fabs(x);
    case FormulaOpcode::sign:
      return formula_sign(x);
    case FormulaOpcode::log:
      return log(x);
    case FormulaOpcode::exp:
      return exp(x);
    case FormulaOpcode::sqrt:
      return sqrt(x);
    case FormulaOpcode::sin:
      return sin(x);
    case FormulaOpcode::cos:
      return cos(x);
    case FormulaOpcode::tanh:
      return tanh(x);
    case FormulaOpcode::floor:
      return floor(x);
    case FormulaOpcode::min:
      return x < y || x != x ? x : y;
    case FormulaOpcode::max:
      return x > y || x != x ? x : y;
    case FormulaOpcode::less:
      return x < y ? 1.0 : 0.0;
    case FormulaOpcode::less_equal:
      return x <= y ? 1.0 : 0.0;
    case FormulaOpcode::greater:
      return x > y ? 1.0 : 0.0;
    case FormulaOpcode::greater_equal:
      return x >= y ? 1.0 : 0.0;
    case FormulaOpcode::equal:
      return x == y ? 1.0 : 0.0;
    case FormulaOpcode::not_equal:
      return x != y ? 1.0 : 0.0;
    default:  // leaves have no operands
      return 0.0;
  }
}

// d min(x, y) / d x
__device__ inline double share_of_smaller(double x, double y) {
  if (x == y) return 0.5;
  return x < y ? 1.0 : 0.0;
}

// d z / d operand, where z is the value at x and y; finite where no derivative is.
__device__ inline double formula_slope(FormulaOpcode opcode, bool by_a, double x, double y, double z) {
  switch (opcode) {
    case FormulaOpcode::add:
      return 1.0;
    case FormulaOpcode::subtract:
      return by_a ? 1.0 : -1.0;
    case FormulaOpcode::multiply:
      return by_a ? y : x;
    case FormulaOpcode::divide:
      if (y == 0.0) return 0.0;
      return by_a ? 1.0 / y : -z / y;
    case FormulaOpcode::power:
      if (by_a) return x == 0.0 && y < 1.0 ? 0.0 : y * pow(x, y - 1.0);
      return x > 0.0 ? z * log(x) : 0.0;
    case FormulaOpcode::negate:
      return -1.0;
    case FormulaOpcode::abs:
      return x == 0.0 ? 0.0 : copysign(1.0, x);
    case FormulaOpcode::log:
      return x == 0.0 ? 0.0 : 1.0 / x;
    case FormulaOpcode::exp:
      return z;
    case FormulaOpcode::sqrt:
      return z == 0.0 ? 0.0 : 0.5 / z;
    case FormulaOpcode::sin:
      return cos(x);
    case FormulaOpcode::cos:
      return -sin(x);
    case FormulaOpcode::tanh:
      return (1.0 - z) * (1.0 + z);
    case FormulaOpcode::min:
      return by_a ? share_of_smaller(x, y) : share_of_smaller(y, x);
    case FormulaOpcode::max:
      return by_a ? share_of_smaller(y, x) : share_of_smaller(x, y);
    default:  // leaves and steps
      return 0.0;
  }
}

}  // namespace phasor::cuda
