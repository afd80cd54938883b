#pragma once
// Matrices whose entries depend on the distance d = key - query alone.
#include <cstdint>
#include <vector>

#include "phasor/linalg/dense.h"

namespace phasor {

struct ToeplitzKernel {
  int64_t size = 0;            // n of the n x n matrix
  bool causal = false;         // distances above 0 do not occur; their values are 0
  std::vector<double> values;  // t_d at d + n - 1, d = -(n - 1) .. n - 1

  double at(int64_t distance) const { return values[static_cast<size_t>(distance + size - 1)]; }
  double& at(int64_t distance) { return values[static_cast<size_t>(distance + size - 1)]; }
};

ToeplitzKernel zero_kernel(int64_t size, bool causal);

// The mean of each diagonal, without row constants; of a causal matrix the diagonals on and below the main one.
ToeplitzKernel diagonal_means(DenseView a, bool causal);

// Share of the squared norm that the diagonal means have, and what independent noise would show.
struct ToeplitzShare {
  double share = 0.0;
  double null = 0.0;     // (2 n - 1) / n^2, causal 2 / (n + 1)
  bool defined = false;  // false for a zero matrix
};
ToeplitzShare toeplitz_share(DenseView a, bool causal = false);

}  // namespace phasor
