#pragma once
// Logits taken apart by what entries have in common: their query, their key, their distance.
#include "phasor/linalg/lapack.h"
#include "phasor/spectrum/relative_fit.h"

namespace phasor {

// Shares of sum (S_ij - mean)^2, adding up to 1: S_ij ~ mean + c_i + t_{j-i} + b_j + rest. A trend along the keys
// equals one along distances plus one along queries, so b and t overlap: here t is fitted first and takes what both
// could explain; `relative_alone` is what t adds to c and b.
struct LogitSplit {
  double gauge = 0.0;           // c: invisible to attention
  double relative = 0.0;        // t after c
  double absolute_key = 0.0;    // b after c and t
  double residual = 0.0;        // content
  double relative_alone = 0.0;  // t after c and b; at most `relative` up to suppression
  double key_first = 0.0;       // b after c
  double total = 0.0;           // the sum of squares itself
  bool defined = false;         // false for a constant matrix
  // What independent noise has on average.
  double gauge_null = 0.0, relative_null = 0.0, absolute_key_null = 0.0, residual_null = 0.0;
};

class LogitSplitter {
 public:
  explicit LogitSplitter(int64_t size, bool causal = false);
  LogitSplit split(DenseView logits) const;

 private:
  int64_t size_;
  bool causal_;
  RelativeFitter relative_;
  Cholesky equations_;      // of c and b with t eliminated
  Cholesky key_equations_;  // of b with c eliminated
};

}  // namespace phasor
