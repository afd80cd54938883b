#include <fmt/ranges.h>

#include <bit>
#include <numbers>
#include <set>
#include <utility>

#include "phasor/base/suggest.h"
#include "phasor/formula/formula.h"
#include "phasor/formula/lanes.h"
#include "phasor/formula/opcode.h"
#include "phasor/formula/syntax.h"

namespace phasor {
namespace {

// Constants by their bits: 0 and -0 differ, and a NaN is itself.
bool same(const FormulaInstruction& one, const FormulaInstruction& two) {
  return one.opcode == two.opcode && one.a == two.a && one.b == two.b &&
         std::bit_cast<uint64_t>(one.constant) == std::bit_cast<uint64_t>(two.constant);
}

double fold(FormulaOpcode opcode, double x, double y) {
  double result = 0.0;
  forward_lanes(opcode, {.x = &x, .y = &y}, &result, 1);
  return result;
}

}  // namespace

class FormulaCompiler {
 public:
  FormulaCompiler(const Formula& formula, const FormulaNames& names) : formula_(formula) {
    program_.row_variables = define(names.row_variables, FormulaOpcode::row_variable);
    program_.column_variables = define(names.column_variables, FormulaOpcode::column_variable);
    program_.parameters = define(names.parameters, FormulaOpcode::parameter);
    for (const FormulaNames::Constant& constant : names.constants) {
      define(constant.name, {.opcode = FormulaOpcode::constant, .constant = constant.value});
    }
    check_meanings();
    define(std::string(kPi), {.opcode = FormulaOpcode::constant, .constant = std::numbers::pi});
  }

  FormulaProgram compile() {
    std::vector<Value> values;  // of the nodes
    values.reserve(formula_.nodes_.size());
    for (const Formula::Node& node : formula_.nodes_) {
      switch (operand_count(node.opcode)) {
        case 0:
          values.push_back(leaf(node));
          break;
        case 1:
          values.push_back(operation(node.opcode, values[static_cast<size_t>(node.a)]));
          break;
        default:
          values.push_back(
              operation(node.opcode, values[static_cast<size_t>(node.a)], values[static_cast<size_t>(node.b)]));
      }
    }
    // A subtree is never equal to the whole, so unless all was folded the root's instruction is the last already.
    place_of(values.back());
    return std::move(program_);
  }

 private:
  // A number that is known by now, which becomes an instruction only where one reads it, or an instruction.
  struct Value {
    bool known = false;
    double number = 0.0;
    int32_t place = -1;
  };
  struct Definition {
    std::string name;
    FormulaInstruction instruction;
  };

  void define(const std::string& name, const FormulaInstruction& instruction) {
    definitions_.push_back({name, instruction});
  }

  int32_t define(const std::vector<std::string>& names, FormulaOpcode opcode) {
    int32_t number = 0;
    for (const std::string& name : names) define(name, {.opcode = opcode, .a = number++});
    return number;
  }

  void check_meanings() const {
    std::set<std::string_view> seen;
    for (const Definition& definition : definitions_) {
      if (definition.name == kPi || find_function(definition.name) != nullptr) {
        fail_at(0, fmt::format("'{}' is a word of the language and cannot stand for anything else", definition.name));
      }
      if (!seen.insert(definition.name).second) {
        fail_at(0, fmt::format("the name '{}' stands for two things", definition.name));
      }
    }
  }

  Value leaf(const Formula::Node& node) {
    if (node.name.empty()) return {.known = true, .number = node.constant};
    for (const Definition& definition : definitions_) {
      if (definition.name != node.name) continue;
      const FormulaInstruction& instruction = definition.instruction;
      if (instruction.opcode == FormulaOpcode::constant) return {.known = true, .number = instruction.constant};
      return {.place = intern(instruction)};
    }
    std::vector<std::string> known;
    for (const Definition& definition : definitions_) known.push_back(definition.name);
    const std::string nearest = nearest_word(node.name, known);
    const std::string hint = nearest.empty() ? "; known" : fmt::format("; did you mean '{}'? Known", nearest);
    fail_at(node.column, fmt::format("unknown name '{}'{}: {}", node.name, hint, fmt::join(known, ", ")));
  }

  Value operation(FormulaOpcode opcode, const Value& x) {
    if (x.known) return {.known = true, .number = fold(opcode, x.number, 0.0)};
    return {.place = intern({.opcode = opcode, .a = x.place})};
  }

  Value operation(FormulaOpcode opcode, const Value& x, const Value& y) {
    if (x.known && y.known) return {.known = true, .number = fold(opcode, x.number, y.number)};
    const int32_t a = place_of(x);
    if (opcode == FormulaOpcode::power && y.known && y.number == 2.0) {  // rounds better, and many times as fast
      return {.place = intern({.opcode = FormulaOpcode::multiply, .a = a, .b = a})};
    }
    return {.place = intern({.opcode = opcode, .a = a, .b = place_of(y)})};
  }

  int32_t place_of(const Value& value) {
    return value.known ? intern({.opcode = FormulaOpcode::constant, .constant = value.number}) : value.place;
  }

  // The place of this instruction: an equal one that is there, or the end.
  int32_t intern(const FormulaInstruction& instruction) {
    std::vector<FormulaInstruction>& all = program_.instructions;
    size_t place = 0;
    while (place < all.size() && !same(all[place], instruction)) ++place;
    if (place == all.size()) all.push_back(instruction);
    return static_cast<int32_t>(place);
  }

  [[noreturn]] void fail_at(int column, const std::string& reason) const {
    throw FormulaError(formula_.text_, column, reason);
  }

  const Formula& formula_;
  std::vector<Definition> definitions_;
  FormulaProgram program_;
};

FormulaProgram Formula::compile(const FormulaNames& names) const { return FormulaCompiler(*this, names).compile(); }

}  // namespace phasor
