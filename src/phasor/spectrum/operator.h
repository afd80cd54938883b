#pragma once
// A matrix known by what it does to vectors: for sequences too long to write all logits down.
#include <cstdint>
#include <functional>
#include <span>

#include "phasor/spectrum/dense.h"
#include "phasor/spectrum/toeplitz.h"

namespace phasor {

struct LinearOperator {
  using Apply = std::function<void(std::span<const double> x, std::span<double> y)>;  // y = A x

  int64_t rows = 0;
  int64_t columns = 0;
  Apply apply;
  Apply apply_transposed;
};

// The views must outlive the operator.
LinearOperator dense_operator(DenseView a);
LinearOperator factor_operator(DenseView queries, DenseView keys);  // queries keys^T
// A bias by distance: O(n log n) by FFT.
LinearOperator toeplitz_operator(const ToeplitzKernel& kernel);
LinearOperator sum_operator(LinearOperator a, LinearOperator b);

}  // namespace phasor
