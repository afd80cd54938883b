#pragma once
// Formulas that people write into encodings: "-a*log(1+b*abs(d))". A small language of arithmetic with
// errors that point at the column. See docs/encodings.md.
#include <string>
#include <string_view>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/formula/program.h"

namespace phasor {

inline constexpr size_t kLongestFormula = 1024;  // characters
inline constexpr int kDeepestFormula = 32;       // parentheses within parentheses
inline constexpr size_t kLargestFormula = 256;   // instructions

// what() is "formula '<text>': column <column>: <reason>".
class FormulaError : public UsageError {
 public:
  FormulaError(std::string_view text, int column, std::string_view reason);
  int column() const { return column_; }  // from 1; 0: of the whole
  const std::string& reason() const { return reason_; }

 private:
  int column_ = 0;
  std::string reason_;
};

// What names stand for in one formula. A name may be in one list only.
struct FormulaNames {
  std::vector<std::string> row_variables;
  std::vector<std::string> column_variables;
  std::vector<std::string> parameters;
  struct Constant {
    std::string name;
    double value = 0.0;
  };
  std::vector<Constant> constants;
};

// The tree of a formula: a regular value, 0 where nothing was parsed. Equal trees print alike.
class Formula {
 public:
  Formula();
  // Throws FormulaError. Names are not looked up here; functions are. The limits above hold for print() too, so
  // that what was parsed can always be written down and parsed again.
  static Formula parse(std::string_view text);

  // Without blanks and without needless parentheses: parse(print()) == *this.
  std::string print() const;
  // Every name that is no function and not `pi`, once each, in order of first use.
  std::vector<std::string> names() const;
  // Throws FormulaError for a name that `names` does not have (with the nearest one and the list), pointing at
  // the column in the text that was parsed, and for names that stand for two things. Parts that hold constants
  // only are folded, equal parts are computed once, x^2 becomes x*x.
  FormulaProgram compile(const FormulaNames& names) const;

  bool operator==(const Formula& other) const;

 private:
  struct Node {
    FormulaOpcode opcode = FormulaOpcode::constant;
    int32_t a = -1, b = -1;  // children, by place in nodes_
    double constant = 0.0;
    std::string name;  // of a name, whose opcode is `constant`; `pi` is one of them
    int column = 0;    // no part of equality
  };
  std::string text_;         // as parsed, for errors; no part of equality
  std::vector<Node> nodes_;  // left children, right children, parents; the last is the root
  friend class FormulaParser;
  friend class FormulaPrinter;
  friend class FormulaCompiler;
};

}  // namespace phasor
