#pragma once
// A formula's derivatives in long double, found by complex steps through one operation at a time, together with a
// bound on what double arithmetic may miss them by: first-order rounding errors, carried along.
#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <string>
#include <vector>

#include "formula/formula_tree.h"

namespace phasor::testing_support {

using Wide = long double;
using WideComplex = std::complex<long double>;

inline constexpr Wide kUnit = 0x1p-53L;  // of double

// d apply(opcode, x, y) / d x, or / d y.
inline Wide local_derivative(FormulaOpcode opcode, int operand, Wide x, Wide y) {
  constexpr Wide kStep = 1e-100L;
  const WideComplex z =
      apply(opcode, WideComplex(x, operand == 0 ? kStep : 0), WideComplex(y, operand == 1 ? kStep : 0));
  return z.imag() / kStep;
}

// The value of a subtree and its derivatives by each parameter.
struct Traced {
  Wide value = 0, value_error = 0;
  std::vector<Wide> derivative;  // [parameters]
  std::vector<Wide> size;        // the same with every product taken by its absolute value
  std::vector<Wide> error;
  bool usable = true;  // false: a kink within rounding, no derivative, or numbers near the ends of double's range
};

class DerivativeTrace {
 public:
  DerivativeTrace(std::map<std::string, double> names, std::vector<std::string> parameters)
      : names_(std::move(names)), parameters_(std::move(parameters)) {}

  Traced trace(const FormulaTree& tree) const {
    if (tree.children.empty()) return leaf(tree);
    std::vector<Traced> operands;
    for (const FormulaTree& child : tree.children) operands.push_back(trace(child));
    return operation(tree.opcode, operands);
  }

 private:
  Traced leaf(const FormulaTree& tree) const {
    Traced result;
    result.value = tree.name.empty() ? tree.number : names_.at(tree.name);
    for (const std::string& parameter : parameters_) result.derivative.push_back(parameter == tree.name ? 1 : 0);
    result.size = result.derivative;
    result.error.assign(parameters_.size(), 0);
    return result;
  }

  Traced operation(FormulaOpcode opcode, const std::vector<Traced>& operands) const {
    const Wide x = operands[0].value, x_error = operands[0].value_error;
    const Wide y = operands.size() > 1 ? operands[1].value : 0,
               y_error = operands.size() > 1 ? operands[1].value_error : 0;
    Traced result;
    result.value = apply(opcode, x, y);
    result.derivative.assign(parameters_.size(), 0);
    result.size = result.error = result.derivative;
    result.usable = !near_a_kink(opcode, x, x_error, y, y_error) && is_moderate(result.value);
    for (size_t o = 0; o < operands.size(); ++o) {
      result.usable = result.usable && operands[o].usable;
      if (!result.usable) return result;
      if (!passes_derivatives(opcode)) continue;
      const int side = static_cast<int>(o);
      const Wide slope = local_derivative(opcode, side, x, y);
      Wide slope_error = own_error(opcode, slope, x, y, result.value);
      for (const int direction : {-1, 1}) {
        for (const int other : {-1, 1}) {
          const Wide moved = local_derivative(opcode, side, x + direction * x_error, y + other * y_error);
          slope_error = std::max(slope_error, own_error(opcode, slope, x, y, result.value) + std::abs(moved - slope));
        }
      }
      result.usable =
          is_moderate(slope) && (slope == 0 || slope_error < 1e-4L * std::abs(slope) || slope_error < 1e-12L);
      result.value_error += std::abs(slope) * operands[o].value_error;
      for (size_t k = 0; k < parameters_.size(); ++k) {
        const Wide size = std::abs(slope) * operands[o].size[k];
        result.derivative[k] += slope * operands[o].derivative[k];
        result.size[k] += size;
        // One rounding of the product, one of the sum that takes it in, on the way back or forth.
        result.error[k] +=
            std::abs(slope) * operands[o].error[k] + slope_error * operands[o].size[k] + 2 * kUnit * size;
        result.usable = result.usable && is_moderate(size);
      }
    }
    const bool exact = opcode == FormulaOpcode::negate || opcode == FormulaOpcode::abs ||
                       opcode == FormulaOpcode::min || opcode == FormulaOpcode::max || !passes_derivatives(opcode);
    if (!exact) result.value_error += 2 * kUnit * std::abs(result.value);  // libm is within one unit in the last place
    result.usable = result.usable && result.value_error <= 1e-6L * std::abs(result.value);
    return result;
  }

  // What the derivative of one operation is rounded by when its operands are exact: up to six roundings.
  static Wide own_error(FormulaOpcode opcode, Wide slope, Wide x, Wide y, Wide z) {
    Wide result = 6 * kUnit * std::abs(slope);
    if (opcode == FormulaOpcode::tanh) result += 4 * kUnit * std::abs(z);  // 1 - z^2 after z was rounded
    if (opcode == FormulaOpcode::power && x > 0) result += kUnit * std::abs(slope * (y - 1) * std::log(x));  // of y - 1
    return result;
  }

  static bool is_moderate(Wide x) { return x == 0 || (std::abs(x) > 1e-100L && std::abs(x) < 1e100L); }

  static bool near_a_kink(FormulaOpcode opcode, Wide x, Wide x_error, Wide y, Wide y_error) {
    const Wide gap = std::abs(x - y), reach = 4 * (x_error + y_error);
    switch (opcode) {
      case FormulaOpcode::power:
        return !(x > 4 * x_error);  // where a power of complex numbers is smooth
      case FormulaOpcode::log:
      case FormulaOpcode::sqrt:
        return !(x > 4 * x_error);
      case FormulaOpcode::divide:
        return !(std::abs(y) > 4 * y_error);
      case FormulaOpcode::abs:
        return !(std::abs(x) > 4 * x_error);
      case FormulaOpcode::sign:
        return x_error > 0 && !(std::abs(x) > 4 * x_error);
      case FormulaOpcode::floor:
        return x_error > 0 && !(std::abs(x - std::round(x)) > 4 * x_error);
      case FormulaOpcode::min:
      case FormulaOpcode::max:
        return !(gap > reach);
      default:
        return !passes_derivatives(opcode) && reach > 0 && !(gap > reach);
    }
  }

  std::map<std::string, double> names_;
  std::vector<std::string> parameters_;
};

}  // namespace phasor::testing_support
