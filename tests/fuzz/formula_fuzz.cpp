// Any text is either refused with a FormulaError or read; what was read prints to a text that reads back equal and
// prints the same, compiles, and gives the same values alone and beside other columns.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/formula/evaluate.h"
#include "phasor/formula/formula.h"
#include "phasor/formula/opcode.h"

namespace {

void require(bool holds, const char* what, std::string_view text) {
  if (holds) return;
  std::fprintf(stderr, "formula_fuzz: %s: '%.*s'\n", what, static_cast<int>(text.size()), text.data());
  std::abort();
}

// Names take turns as column, parameter, row variable and constant, so that every formula compiles.
phasor::FormulaNames distribute(const std::vector<std::string>& names) {
  phasor::FormulaNames result;
  for (size_t i = 0; i < names.size(); ++i) {
    switch (i % 4) {
      case 0:
        result.column_variables.push_back(names[i]);
        break;
      case 1:
        result.parameters.push_back(names[i]);
        break;
      case 2:
        result.row_variables.push_back(names[i]);
        break;
      default:
        result.constants.push_back({names[i], 2.5});
    }
  }
  return result;
}

void check_program(const phasor::FormulaProgram& program, std::string_view text) {
  const std::vector<phasor::FormulaInstruction>& all = program.instructions;
  require(!all.empty() && all.size() <= phasor::kLargestFormula, "a program of this size", text);
  for (size_t i = 0; i < all.size(); ++i) {
    const int operands = phasor::operand_count(all[i].opcode);
    const int32_t end = static_cast<int32_t>(i);
    require(operands < 1 || (all[i].a >= 0 && all[i].a < end), "operand a is no earlier instruction", text);
    require(operands < 2 || (all[i].b >= 0 && all[i].b < end), "operand b is no earlier instruction", text);
  }
}

bool same_bits(double one, double two) {
  return std::bit_cast<uint64_t>(one) == std::bit_cast<uint64_t>(two) || (std::isnan(one) && std::isnan(two));
}

void check_values(const phasor::FormulaProgram& program, std::string_view text) {
  constexpr double kColumns[] = {-2.0, 0.0, 3.25};
  const std::vector<double> row_values(static_cast<size_t>(program.row_variables), 1.5);
  const std::vector<double> parameters(static_cast<size_t>(program.parameters), -0.75);
  const std::vector<const double*> columns(static_cast<size_t>(program.column_variables), kColumns);
  double values[3] = {};
  const phasor::FormulaRow row{row_values.data(), columns.data(), parameters.data(), 3};
  phasor::evaluate(program, row, values);
  for (size_t c = 0; c < 3; ++c) {
    const std::vector<const double*> column(columns.size(), kColumns + c);
    double alone = 0.0;
    phasor::evaluate(program, {row_values.data(), column.data(), parameters.data(), 1}, &alone);
    require(same_bits(alone, values[c]), "a value depends on its neighbours", text);
  }
  const double no_weight[3] = {}, weights[3] = {1.0, -2.0, 0.5};
  std::vector<double> dparameters(parameters.size(), 0.0);
  phasor::differentiate(program, row, no_weight, dparameters.data());
  for (const double derivative : dparameters) require(derivative == 0.0, "a derivative without weight", text);
  phasor::differentiate(program, row, weights, dparameters.data());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(data, data + size);
  std::optional<phasor::Formula> formula;
  try {
    formula = phasor::Formula::parse(text);
  } catch (const phasor::FormulaError&) {
    return 0;
  }
  const std::string printed = formula->print();
  const phasor::Formula again = phasor::Formula::parse(printed);
  require(again == *formula, "the tree changed on its way through text", printed);
  require(again.print() == printed, "the canonical text has another canonical text", printed);
  try {
    check_program(formula->compile({.column_variables = {"d"}, .parameters = {"a", "b"}}), printed);
  } catch (const phasor::FormulaError&) {  // a name that it does not know
  }
  const phasor::FormulaProgram program = formula->compile(distribute(formula->names()));
  check_program(program, printed);
  check_values(program, printed);
  return 0;
}
