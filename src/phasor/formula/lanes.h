#pragma once
// One instruction over a few numbers side by side, forward and backward: all arithmetic of formulas is here.
#include <cstdint>

#include "phasor/formula/program.h"

namespace phasor {

inline constexpr int64_t kFormulaLanes = 64;

// What an instruction reads, and what it gave. What it does not have may be null.
struct LaneValues {
  const double* x = nullptr;  // of operand a
  const double* y = nullptr;  // of operand b
  const double* z = nullptr;  // its own; read by backward_lanes alone
};

// result[l] for l < count; the opcode has operands. A NaN in gives a NaN out but for comparisons.
void forward_lanes(FormulaOpcode opcode, const LaneValues& values, double* result, int64_t count);

enum class FormulaOperand { a, b };

// result[l] = adjoint[l] * d z[l] / d operand[l], with the conventions of evaluate.h.
void backward_lanes(FormulaOpcode opcode, FormulaOperand operand, const LaneValues& values, const double* adjoint,
                    double* result, int64_t count);

}  // namespace phasor
