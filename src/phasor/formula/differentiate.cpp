#include <algorithm>

#include "phasor/formula/block_run.h"
#include "phasor/formula/evaluate.h"
#include "phasor/formula/opcode.h"

namespace phasor {
namespace {

// From the value back to the parameters. What varies has one adjoint per lane, started anew in each block; what is
// the same for all columns has one number, in lane 0, which adds up over the blocks and is taken further at the end.
class FormulaBackward {
 public:
  explicit FormulaBackward(FormulaBlockRun& run) : run_(run), scratch_(run.scratch()) {
    if (scratch_.adjoints.size() < run.size()) scratch_.adjoints.resize(run.size());
    scratch_.learned.resize(run.size());
    for (size_t i = 0; i < run.size(); ++i) {
      const FormulaInstruction& own = run.instruction(i);
      const int operands = operand_count(own.opcode);
      const bool reads_learned = (operands > 0 && learned(own.a)) || (operands > 1 && learned(own.b));
      const bool is_learned =
          own.opcode == FormulaOpcode::parameter || (reads_learned && passes_derivatives(own.opcode));
      scratch_.learned[i] = is_learned ? 1 : 0;
      *adjoint(i) = 0.0;
    }
  }

  bool has_parameters() const { return learned(run_.size() - 1); }

  void block(const double* dvalues, int64_t count) {
    for (size_t i = 0; i < run_.size(); ++i) {
      if (run_.varies(i) && learned(i)) std::fill_n(adjoint(i), count, 0.0);
    }
    add(run_.size() - 1, dvalues, count);
    for (size_t i = run_.size(); i-- > 0;) {
      if (run_.varies(i) && learned(i)) pass_on(i, count);
    }
  }

  void finish(double* dparameters) {
    for (size_t i = run_.size(); i-- > 0;) {
      if (run_.varies(i) || !learned(i)) continue;
      if (run_.instruction(i).opcode == FormulaOpcode::parameter) {
        dparameters[run_.instruction(i).a] += *adjoint(i);
      } else {
        pass_on(i, 1);
      }
    }
  }

 private:
  template <class Index>
  bool learned(Index i) const {
    return scratch_.learned[static_cast<size_t>(i)] != 0;
  }
  double* adjoint(size_t i) { return scratch_.adjoints[i].lanes; }

  void pass_on(size_t i, int64_t count) {
    const FormulaInstruction& own = run_.instruction(i);
    pass_on(i, FormulaOperand::a, static_cast<size_t>(own.a), count);
    if (operand_count(own.opcode) == 2) pass_on(i, FormulaOperand::b, static_cast<size_t>(own.b), count);
  }

  void pass_on(size_t i, FormulaOperand operand, size_t target, int64_t count) {
    if (!learned(target)) return;
    LaneBlock terms;
    backward_lanes(run_.instruction(i).opcode, operand, run_.lane_values(i), adjoint(i), terms.lanes, count);
    add(target, terms.lanes, count);
  }

  void add(size_t target, const double* terms, int64_t count) {
    double* sum = adjoint(target);
    if (run_.varies(target)) {
      for (int64_t l = 0; l < count; ++l) sum[l] += terms[l];
      return;
    }
    double total = *sum;
    for (int64_t l = 0; l < count; ++l) total += terms[l];
    *sum = total;
  }

  FormulaBlockRun& run_;
  FormulaScratch& scratch_;
};

}  // namespace

void differentiate(const FormulaProgram& program, const FormulaRow& row, const double* dvalues, double* dparameters) {
  if (row.columns == 0) return;
  FormulaBlockRun run(program, row);
  FormulaBackward backward(run);
  if (!backward.has_parameters()) return;
  for (int64_t first = 0; first < row.columns; first += kFormulaLanes) {
    const int64_t count = std::min(row.columns - first, kFormulaLanes);
    run.forward(first, count);
    backward.block(dvalues + first, count);
  }
  backward.finish(dparameters);
}

}  // namespace phasor
