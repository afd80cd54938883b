#include <algorithm>
#include <iterator>

#include "phasor/base/number_text.h"
#include "phasor/formula/formula.h"
#include "phasor/formula/opcode.h"
#include "phasor/formula/syntax.h"

namespace phasor {
namespace {

constexpr FormulaLevel tighter(FormulaLevel level) { return static_cast<FormulaLevel>(static_cast<int>(level) + 1); }

const FormulaOperator* find_operator(FormulaOpcode opcode) {
  const auto* found = std::find_if(std::begin(kFormulaOperators), std::end(kFormulaOperators),
                                   [&](const FormulaOperator& entry) { return entry.opcode == opcode; });
  return found == std::end(kFormulaOperators) ? nullptr : found;
}

std::string_view function_name(FormulaOpcode opcode) {
  const auto* found = std::find_if(std::begin(kFormulaFunctions), std::end(kFormulaFunctions),
                                   [&](const FormulaFunction& entry) { return entry.opcode == opcode; });
  return found->name;
}

FormulaLevel level_of(FormulaOpcode opcode) {
  if (opcode == FormulaOpcode::negate) return FormulaLevel::minus;
  const FormulaOperator* symbol = find_operator(opcode);
  return symbol == nullptr ? FormulaLevel::atom : symbol->level;
}

}  // namespace

// A subtree gets parentheses where it binds more loosely than its place in the grammar demands.
class FormulaPrinter {
 public:
  explicit FormulaPrinter(const std::vector<Formula::Node>& nodes) : nodes_(nodes) {}

  std::string print() {
    write(static_cast<int32_t>(nodes_.size()) - 1, FormulaLevel::comparison);
    return std::move(text_);
  }

 private:
  void write(int32_t place, FormulaLevel loosest) {
    const Formula::Node& node = nodes_[static_cast<size_t>(place)];
    const bool parentheses = level_of(node.opcode) < loosest;
    if (parentheses) text_ += '(';
    if (operand_count(node.opcode) == 0) {
      text_ += node.name.empty() ? print_number(node.constant) : node.name;
    } else if (node.opcode == FormulaOpcode::negate) {
      text_ += '-';
      write(node.a, FormulaLevel::minus);
    } else if (const FormulaOperator* symbol = find_operator(node.opcode)) {
      write_operation(node, *symbol);
    } else {
      write_function(node);
    }
    if (parentheses) text_ += ')';
  }

  void write_operation(const Formula::Node& node, const FormulaOperator& symbol) {
    // Sums and products associate to the left, comparisons not at all, powers to the right; a power takes a minus
    // in its exponent.
    const bool left = symbol.level == FormulaLevel::sum || symbol.level == FormulaLevel::product;
    write(node.a, left ? symbol.level : tighter(symbol.level));
    text_ += symbol.symbol;
    write(node.b, symbol.level == FormulaLevel::power ? FormulaLevel::minus : tighter(symbol.level));
  }

  void write_function(const Formula::Node& node) {
    text_ += function_name(node.opcode);
    text_ += '(';
    write(node.a, FormulaLevel::comparison);
    if (operand_count(node.opcode) == 2) {
      text_ += ',';
      write(node.b, FormulaLevel::comparison);
    }
    text_ += ')';
  }

  const std::vector<Formula::Node>& nodes_;
  std::string text_;
};

std::string Formula::print() const { return FormulaPrinter(nodes_).print(); }

}  // namespace phasor
