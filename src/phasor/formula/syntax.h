#pragma once
// The words and operators of the language, for the parser and the printer alike.
#include <string_view>

#include "phasor/formula/program.h"

namespace phasor {

inline constexpr std::string_view kPi = "pi";

// From the loosest binding to the tightest.
enum class FormulaLevel { comparison, sum, product, minus, power, atom };

struct FormulaOperator {
  std::string_view symbol;
  FormulaOpcode opcode;
  FormulaLevel level;
};

// Of two symbols that start alike the longer one stands first.
inline constexpr FormulaOperator kFormulaOperators[] = {
    {"<=", FormulaOpcode::less_equal, FormulaLevel::comparison},
    {"<", FormulaOpcode::less, FormulaLevel::comparison},
    {">=", FormulaOpcode::greater_equal, FormulaLevel::comparison},
    {">", FormulaOpcode::greater, FormulaLevel::comparison},
    {"==", FormulaOpcode::equal, FormulaLevel::comparison},
    {"!=", FormulaOpcode::not_equal, FormulaLevel::comparison},
    {"+", FormulaOpcode::add, FormulaLevel::sum},
    {"-", FormulaOpcode::subtract, FormulaLevel::sum},
    {"*", FormulaOpcode::multiply, FormulaLevel::product},
    {"/", FormulaOpcode::divide, FormulaLevel::product},
    {"^", FormulaOpcode::power, FormulaLevel::power},
};

struct FormulaFunction {
  std::string_view name;
  FormulaOpcode opcode;  // its operands are the arguments
};

inline constexpr FormulaFunction kFormulaFunctions[] = {
    {"abs", FormulaOpcode::abs}, {"sign", FormulaOpcode::sign}, {"log", FormulaOpcode::log},
    {"exp", FormulaOpcode::exp}, {"sqrt", FormulaOpcode::sqrt}, {"sin", FormulaOpcode::sin},
    {"cos", FormulaOpcode::cos}, {"tanh", FormulaOpcode::tanh}, {"floor", FormulaOpcode::floor},
    {"min", FormulaOpcode::min}, {"max", FormulaOpcode::max},
};

// Null where there is none.
constexpr const FormulaFunction* find_function(std::string_view name) {
  for (const FormulaFunction& function : kFormulaFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace phasor
