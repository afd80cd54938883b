#pragma once
// How much of a logit matrix depends on the distance alone. Softmax ignores a constant per query, so the question is
// asked jointly with such constants: S_ij ~ c_i + t_{j-i}. ALiBi written as slope * (j - i) or as slope * j is then the
// same.
#include <cstdint>
#include <vector>

#include "phasor/linalg/lapack.h"
#include "phasor/linalg/toeplitz.h"

namespace phasor {

// c and t are defined up to a constant that moves between them.
enum class KernelGauge : uint8_t {
  zero_mean,      // t has mean 0 over the entries of the matrix
  zero_at_origin  // t_0 = 0
};

struct RelativeFit {
  std::vector<double> row_constants;  // c
  ToeplitzKernel kernel;              // t
  KernelGauge gauge = KernelGauge::zero_mean;
  double total = 0.0;     // |S - row means|^2
  double residual = 0.0;  // |S - c - t|^2
  double r2 = 0.0;        // 1 - residual / total
  double null = 0.0;      // 2 / n, what independent noise has on average
  double adjusted = 0.0;  // (r2 - null) / (1 - null)
  bool defined = false;   // false where rows are constant to rounding: there is nothing to explain
};

// Fits matrices of one size: the normal equations depend on nothing else and are factored once. Of causal matrices
// only what is on and below the diagonal is read.
class RelativeFitter {
 public:
  explicit RelativeFitter(int64_t size, bool causal = false);
  RelativeFit fit(DenseView logits, KernelGauge gauge = KernelGauge::zero_mean) const;

 private:
  int64_t size_;
  bool causal_;
  Cholesky equations_;
};

}  // namespace phasor
