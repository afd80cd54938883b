#pragma once
// How many tokens a random ListOps expression has: the exact law, so that expressions of any length can be drawn at
// once instead of being thrown away until one fits.
#include <cstdint>
#include <vector>

namespace phasor {

// An expression is a digit, or an operator, 2 .. arguments expressions and a closing bracket. At `depth`, counted from
// 1 for the whole, there are digits alone; elsewhere a digit has the chance 3/4, and every number of arguments is as
// likely.
struct ExpressionLaw {
  int32_t depth = 0;
  int32_t arguments = 0;
};

class ExpressionLengths {
 public:
  ExpressionLengths(const ExpressionLaw& law, int32_t longest);

  // The chance that an expression at this depth has so many tokens; at most `longest`.
  double of_one(int32_t depth, int32_t tokens) const { return of_several(depth, 1, tokens); }
  // That so many expressions at this depth have so many together.
  double of_several(int32_t depth, int32_t count, int32_t tokens) const;

 private:
  std::vector<double>& table(int32_t depth, int32_t count);

  ExpressionLaw law_;
  std::vector<std::vector<double>> tables_;  // [depth][count], each [tokens]
};

}  // namespace phasor
