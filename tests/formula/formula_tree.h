#pragma once
// A second, naive model of formulas: trees that are walked one operation at a time, in any scalar. What the
// library compiles, shares, folds and blocks is held against it.
#include <cmath>
#include <complex>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "phasor/base/number_text.h"
#include "phasor/formula/formula.h"
#include "phasor/formula/opcode.h"
#include "phasor/formula/syntax.h"

namespace phasor::testing_support {

template <class Scalar>
auto real_part(const Scalar& x) {
  using std::real;
  return real(x);
}

// One operation as on paper. A complex number takes the branch of its real part, so that a complex step sees the
// derivative of that branch.
template <class Scalar>
Scalar apply(FormulaOpcode opcode, const Scalar& x, const Scalar& y = {}) {
  const auto p = real_part(x);
  const auto q = real_part(y);
  using Real = std::remove_const_t<decltype(p)>;
  const auto truth = [](bool holds) { return Scalar(holds ? Real(1) : Real(0)); };
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
      return std::pow(x, y);
    case FormulaOpcode::negate:
      return -x;
    case FormulaOpcode::abs:
      return std::signbit(p) ? -x : x;
    case FormulaOpcode::sign:
      return Scalar(std::isnan(p) ? p : Real((p > 0) - (p < 0)));
    case FormulaOpcode::log:
      return std::log(x);
    case FormulaOpcode::exp:
      return std::exp(x);
    case FormulaOpcode::sqrt:
      return std::sqrt(x);
    case FormulaOpcode::sin:
      return std::sin(x);
    case FormulaOpcode::cos:
      return std::cos(x);
    case FormulaOpcode::tanh:
      return std::tanh(x);
    case FormulaOpcode::floor:
      return Scalar(std::floor(p));
    case FormulaOpcode::min:
      return std::isnan(p) || p < q ? x : y;
    case FormulaOpcode::max:
      return std::isnan(p) || p > q ? x : y;
    case FormulaOpcode::less:
      return truth(p < q);
    case FormulaOpcode::less_equal:
      return truth(p <= q);
    case FormulaOpcode::greater:
      return truth(p > q);
    case FormulaOpcode::greater_equal:
      return truth(p >= q);
    case FormulaOpcode::equal:
      return truth(p == q);
    case FormulaOpcode::not_equal:
      return truth(p != q);
    default:
      return {};
  }
}

struct FormulaTree {
  FormulaOpcode opcode = FormulaOpcode::constant;
  double number = 0.0;  // of a constant
  std::string name;     // of a name; the opcode is then `constant`
  std::vector<FormulaTree> children;

  bool has_names() const {
    if (!name.empty()) return true;
    for (const FormulaTree& child : children) {
      if (child.has_names()) return true;
    }
    return false;
  }

  // With parentheses around every operation.
  std::string text() const {
    if (!name.empty()) return name;
    if (children.empty()) return print_number(number);
    const std::string first = children[0].text();
    if (opcode == FormulaOpcode::negate) return "(-" + first + ")";
    for (const FormulaFunction& function : kFormulaFunctions) {
      if (function.opcode != opcode) continue;
      return std::string(function.name) + "(" + first + (children.size() > 1 ? "," + children[1].text() : "") + ")";
    }
    for (const FormulaOperator& symbol : kFormulaOperators) {
      if (symbol.opcode == opcode) return "(" + first + std::string(symbol.symbol) + children[1].text() + ")";
    }
    return "?";
  }

  double value(const std::map<std::string, double>& names) const {
    if (!name.empty()) return names.at(name);
    if (children.empty()) return number;
    const double x = children[0].value(names);
    if (children.size() == 1) return apply(opcode, x);
    const double y = children[1].value(names);
    if (opcode == FormulaOpcode::power && y == 2.0 && !children[1].has_names() && children[0].has_names()) return x * x;
    return apply(opcode, x, y);
  }
};

class RandomFormulaTree {
 public:
  explicit RandomFormulaTree(uint64_t sample, std::vector<std::string> names)
      : random_(sample), names_(std::move(names)) {}

  FormulaTree tree(int depth) {
    if (depth == 0 || below(5) == 0) return leaf();
    FormulaTree result;
    result.opcode = static_cast<FormulaOpcode>(4 + below(23));  // all that have operands
    for (int i = 0; i < operand_count(result.opcode); ++i) result.children.push_back(tree(depth - 1));
    return result;
  }

  // From the sizes that formulas have, with zeros, ones and whole numbers among them.
  double number() {
    switch (below(4)) {
      case 0:
        return static_cast<double>(below(4));
      case 1:
        return static_cast<double>(below(1000)) / 100.0;
      default:
        return 4.0 * static_cast<double>(random_() >> 11) * 0x1p-53;
    }
  }
  double signed_number() { return below(2) == 0 ? number() : -number(); }
  uint64_t below(uint64_t bound) { return random_() % bound; }

 private:
  FormulaTree leaf() {
    if (below(3) == 0) return {.number = number()};
    return {.name = names_[below(names_.size())]};
  }

  std::mt19937_64 random_;
  std::vector<std::string> names_;
};

}  // namespace phasor::testing_support
