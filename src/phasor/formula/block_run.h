#pragma once
// A program at work on one row, a block of columns at a time.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "phasor/formula/evaluate.h"
#include "phasor/formula/lanes.h"

namespace phasor {

struct alignas(64) LaneBlock {
  double lanes[kFormulaLanes];
};

// What a thread keeps from one call to the next.
struct FormulaScratch {
  std::vector<LaneBlock> values;      // [instructions]
  std::vector<LaneBlock> adjoints;    // [instructions], for derivatives
  std::vector<const double*> places;  // [instructions]: where each one's values are
  std::vector<char> varies;           // [instructions]: depends on a column variable
  std::vector<char> learned;          // [instructions], for derivatives: has one by a parameter
};

class FormulaBlockRun {
 public:
  // Computes what is the same for all columns. One at a time in a thread, which owns the scratch.
  FormulaBlockRun(const FormulaProgram& program, const FormulaRow& row);

  // Computes the rest for the columns first .. first + count - 1; count is at most kFormulaLanes.
  void forward(int64_t first, int64_t count);

  size_t size() const { return program_.instructions.size(); }
  const FormulaInstruction& instruction(size_t i) const { return program_.instructions[i]; }
  // Instruction i's values in the present block; all lanes hold the one value of one that does not vary.
  const double* values(size_t i) const { return scratch_.places[i]; }
  bool varies(size_t i) const { return scratch_.varies[i] != 0; }
  LaneValues lane_values(size_t i) const;
  FormulaScratch& scratch() { return scratch_; }

 private:
  // The value of an instruction that does not vary.
  double single(size_t i) const;

  const FormulaProgram& program_;
  const FormulaRow& row_;
  FormulaScratch& scratch_;
};

}  // namespace phasor
