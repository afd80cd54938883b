#include <cassert>
#include <cmath>

#include "phasor/formula/lanes.h"
#include "phasor/formula/opcode.h"

namespace phasor {
namespace {

// A weight of 0 stays 0 beside an infinite derivative.
double weigh(double adjoint, double derivative) { return adjoint == 0.0 ? 0.0 : adjoint * derivative; }

// d x^y / d x
double power_by_base(double x, double y) {
  if (x == 0.0 && y < 1.0) return 0.0;
  return y * std::pow(x, y - 1.0);
}

// d x^y / d y, where z = x^y
double power_by_exponent(double x, double z) { return x > 0.0 ? z * std::log(x) : 0.0; }

// d min(x, y) / d x
double share_of_smaller(double x, double y) {
  if (x == y) return 0.5;
  return x < y ? 1.0 : 0.0;
}

// result[l] = adjoint[l] * derivative(l)
template <class Derivative>
void pass(const double* adjoint, double* __restrict result, int64_t count, Derivative derivative) {
  for (int64_t l = 0; l < count; ++l) result[l] = weigh(adjoint[l], derivative(l));
}

// The same where a derivative costs a call.
template <class Derivative>
void pass_costly(const double* adjoint, double* __restrict result, int64_t count, Derivative derivative) {
  for (int64_t l = 0; l < count; ++l) result[l] = adjoint[l] == 0.0 ? 0.0 : adjoint[l] * derivative(l);
}

}  // namespace

void backward_lanes(FormulaOpcode opcode, FormulaOperand operand, const LaneValues& values, const double* adjoint,
                    double* result, int64_t count) {
  const double* x = values.x;
  const double* y = values.y;
  const double* z = values.z;
  const bool by_a = operand == FormulaOperand::a;
  assert(passes_derivatives(opcode));
  switch (opcode) {
    case FormulaOpcode::add:
      return pass(adjoint, result, count, [](int64_t) { return 1.0; });
    case FormulaOpcode::subtract:
      return pass(adjoint, result, count, [sign = by_a ? 1.0 : -1.0](int64_t) { return sign; });
    case FormulaOpcode::multiply:
      return pass(adjoint, result, count, [other = by_a ? y : x](int64_t l) { return other[l]; });
    case FormulaOpcode::divide:
      if (by_a) return pass(adjoint, result, count, [=](int64_t l) { return y[l] == 0.0 ? 0.0 : 1.0 / y[l]; });
      return pass(adjoint, result, count, [=](int64_t l) { return y[l] == 0.0 ? 0.0 : -z[l] / y[l]; });
    case FormulaOpcode::power:
      if (by_a) return pass_costly(adjoint, result, count, [=](int64_t l) { return power_by_base(x[l], y[l]); });
      return pass_costly(adjoint, result, count, [=](int64_t l) { return power_by_exponent(x[l], z[l]); });
    case FormulaOpcode::negate:
      return pass(adjoint, result, count, [](int64_t) { return -1.0; });
    case FormulaOpcode::abs:
      return pass(adjoint, result, count, [=](int64_t l) { return x[l] == 0.0 ? 0.0 : std::copysign(1.0, x[l]); });
    case FormulaOpcode::log:
      return pass(adjoint, result, count, [=](int64_t l) { return x[l] == 0.0 ? 0.0 : 1.0 / x[l]; });
    case FormulaOpcode::exp:
      return pass(adjoint, result, count, [=](int64_t l) { return z[l]; });
    case FormulaOpcode::sqrt:
      return pass(adjoint, result, count, [=](int64_t l) { return z[l] == 0.0 ? 0.0 : 0.5 / z[l]; });
    case FormulaOpcode::sin:
      return pass_costly(adjoint, result, count, [=](int64_t l) { return std::cos(x[l]); });
    case FormulaOpcode::cos:
      return pass_costly(adjoint, result, count, [=](int64_t l) { return -std::sin(x[l]); });
    case FormulaOpcode::tanh:
      return pass(adjoint, result, count, [=](int64_t l) { return (1.0 - z[l]) * (1.0 + z[l]); });
    case FormulaOpcode::min:
      return pass(adjoint, result, count,
                  [=](int64_t l) { return by_a ? share_of_smaller(x[l], y[l]) : share_of_smaller(y[l], x[l]); });
    case FormulaOpcode::max:
      return pass(adjoint, result, count,
                  [=](int64_t l) { return by_a ? share_of_smaller(y[l], x[l]) : share_of_smaller(x[l], y[l]); });
    default:  // leaves and steps
      for (int64_t l = 0; l < count; ++l) result[l] = 0.0;
  }
}

}  // namespace phasor
