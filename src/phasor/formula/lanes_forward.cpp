#include <cassert>
#include <cmath>

#include "phasor/formula/lanes.h"

namespace phasor {
namespace {

template <class Function>
void map(const double* x, double* __restrict result, int64_t count, Function function) {
  for (int64_t l = 0; l < count; ++l) result[l] = function(x[l]);
}

template <class Function>
void map(const double* x, const double* y, double* __restrict result, int64_t count, Function function) {
  for (int64_t l = 0; l < count; ++l) result[l] = function(x[l], y[l]);
}

double sign(double x) {
  if (x > 0.0) return 1.0;
  if (x < 0.0) return -1.0;
  return x == 0.0 ? 0.0 : x;  // NaN stays
}

}  // namespace

void forward_lanes(FormulaOpcode opcode, const LaneValues& values, double* result, int64_t count) {
  const double* x = values.x;
  const double* y = values.y;
  switch (opcode) {
    case FormulaOpcode::constant:
    case FormulaOpcode::row_variable:
    case FormulaOpcode::column_variable:
    case FormulaOpcode::parameter:
      assert(false);  // nothing to compute
      return;
    case FormulaOpcode::add:
      return map(x, y, result, count, [](double a, double b) { return a + b; });
    case FormulaOpcode::subtract:
      return map(x, y, result, count, [](double a, double b) { return a - b; });
    case FormulaOpcode::multiply:
      return map(x, y, result, count, [](double a, double b) { return a * b; });
    case FormulaOpcode::divide:
      return map(x, y, result, count, [](double a, double b) { return a / b; });
    case FormulaOpcode::power:
      return map(x, y, result, count, [](double a, double b) { return std::pow(a, b); });
    case FormulaOpcode::negate:
      return map(x, result, count, [](double a) { return -a; });
    case FormulaOpcode::abs:
      return map(x, result, count, [](double a) { return std::abs(a); });
    case FormulaOpcode::sign:
      return map(x, result, count, [](double a) { return sign(a); });
    case FormulaOpcode::log:
      return map(x, result, count, [](double a) { return std::log(a); });
    case FormulaOpcode::exp:
      return map(x, result, count, [](double a) { return std::exp(a); });
    case FormulaOpcode::sqrt:
      return map(x, result, count, [](double a) { return std::sqrt(a); });
    case FormulaOpcode::sin:
      return map(x, result, count, [](double a) { return std::sin(a); });
    case FormulaOpcode::cos:
      return map(x, result, count, [](double a) { return std::cos(a); });
    case FormulaOpcode::tanh:
      return map(x, result, count, [](double a) { return std::tanh(a); });
    case FormulaOpcode::floor:
      return map(x, result, count, [](double a) { return std::floor(a); });
    case FormulaOpcode::min:
      return map(x, y, result, count, [](double a, double b) { return a < b || a != a ? a : b; });
    case FormulaOpcode::max:
      return map(x, y, result, count, [](double a, double b) { return a > b || a != a ? a : b; });
    case FormulaOpcode::less:
      return map(x, y, result, count, [](double a, double b) { return a < b ? 1.0 : 0.0; });
    case FormulaOpcode::less_equal:
      return map(x, y, result, count, [](double a, double b) { return a <= b ? 1.0 : 0.0; });
    case FormulaOpcode::greater:
      return map(x, y, result, count, [](double a, double b) { return a > b ? 1.0 : 0.0; });
    case FormulaOpcode::greater_equal:
      return map(x, y, result, count, [](double a, double b) { return a >= b ? 1.0 : 0.0; });
    case FormulaOpcode::equal:
      return map(x, y, result, count, [](double a, double b) { return a == b ? 1.0 : 0.0; });
    case FormulaOpcode::not_equal:
      return map(x, y, result, count, [](double a, double b) { return a != b ? 1.0 : 0.0; });
  }
}

}  // namespace phasor
