#pragma once
// The largest singular values of an operator, by Golub and Kahan's bidiagonalisation with full reorthogonalisation:
// two products per step, and no ghost copies of values already found.
#include <cstdint>
#include <vector>

#include "phasor/spectrum/operator.h"

namespace phasor {

struct LanczosOptions {
  int64_t count = 1;         // how many values
  double tolerance = 1e-10;  // a residual below tolerance * largest value counts as converged
  int64_t max_steps = 300;   // at most the smaller extent is done anyway
  uint64_t seed = 0;         // of the first vector, which is drawn once for all
};

// One start vector sees one direction of each singular space: of equal values one is found, unless the steps run
// through an invariant space and go on in a new direction.
struct LanczosResult {
  struct Value {
    double value = 0.0;
    double residual = 0.0;  // |A^T u - sigma v| with A v = sigma u; some singular value is this close
    bool converged = false;
  };
  std::vector<Value> values;  // falling; fewer than asked for where the operator has no more
  int64_t steps = 0;
  int64_t products = 0;    // of the operator or its transpose with a vector
  bool converged = false;  // all of them
};

LanczosResult largest_singular_values(const LinearOperator& given, const LanczosOptions& options = {});

}  // namespace phasor
