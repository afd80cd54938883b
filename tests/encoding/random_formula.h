#pragma once
// Random formulas over given names, as people might write them: blanks, needless parentheses, numbers in any form.
#include <string>
#include <utility>
#include <vector>

#include "phasor/random/distributions.h"

namespace phasor::testing_support {

class RandomFormula {
 public:
  RandomFormula(Draws& draws, std::vector<std::string> names) : draws_(draws), names_(std::move(names)) {}

  std::string text(int depth = 3) {
    switch (depth == 0 ? draws_.below(2) : draws_.below(8)) {
      case 0:
        return number();
      case 1:
        return pick(names_);
      case 2:
        return pick({"abs", "sign", "log", "exp", "sqrt", "sin", "cos", "tanh", "floor"}) + blank() + "(" + blank() +
               text(depth - 1) + ")";
      case 3:
        return pick({"min", "max"}) + "(" + text(depth - 1) + blank() + "," + blank() + text(depth - 1) + ")";
      case 4:
        return "-" + blank() + operand(depth);
      case 5:
        return operand(depth) + blank() + pick({"<", "<=", ">", ">=", "==", "!="}) + blank() + operand(depth);
      default:
        return operand(depth) + blank() + pick({"+", "-", "*", "/", "^"}) + blank() + operand(depth);
    }
  }

 private:
  std::string operand(int depth) { return "(" + text(depth - 1) + ")"; }

  std::string number() { return pick({"0", "1", "2.50", "0.125", "3e0", "1E-3", "100", "7"}); }

  std::string blank() { return draws_.below(3) == 0 ? " " : ""; }

  std::string pick(const std::vector<std::string>& words) {
    return words[draws_.below(static_cast<uint32_t>(words.size()))];
  }

  Draws& draws_;
  std::vector<std::string> names_;
};

}  // namespace phasor::testing_support
