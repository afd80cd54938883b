#pragma once
// Products cut into row tiles of few distinct shapes. Ragged batches end in any row count; libraries
// that compile a kernel per shape would compile one at every step, so the last tile is padded to a
// multiple of kTailRows in scratch memory, or to a whole one where the library has other kernels for small
// products (Gemm::sizes_are_alike). Libraries work on blocks of rows (oneDNN's AVX2 kernels on six) and may
// sum the rows beyond the last whole block in another order; with tiles of whole blocks a sequence scores the
// same bits alone and in any batch, but for a library that treats rows within a block differently
// (Gemm::rows_are_alike).
#include <cstdint>
#include <vector>

#include "phasor/engine/cpu/gemm.h"
#include "phasor/tensor/view.h"

namespace phasor {

inline constexpr int64_t kTileRows = 96;
inline constexpr int64_t kTailRows = 48;

// c = a op(b), for at most kTileRows rows of a and c; runs on the calling thread.
struct TileProduct {
  Matrix c;       // [rows, n]
  ConstMatrix a;  // [rows, k]
  ConstMatrix b;  // [k, n], or [n, k] where transposed
  bool b_transposed = false;
  bool accumulate = false;  // fp32 c only
};
void multiply_tile(const Gemm& gemm, const TileProduct& product);

// dweight += dy^T x over all rows, in an order that depends on the shapes alone; starts threads.
struct WeightGradient {
  View<float, 2> dweight;  // [out, in]
  ConstMatrix dy;          // [rows, out]
  ConstMatrix x;           // [rows, in]
};
void add_weight_gradient(const Gemm& gemm, const WeightGradient& gradient, std::vector<float>& partial_sums);

}  // namespace phasor
