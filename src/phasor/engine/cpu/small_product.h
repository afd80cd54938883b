#pragma once
// Products of attention's size: operands in cache, one side sixteen columns at a time. All five products
// of attention and its gradient are of this form, by choice of strides.
#include <cstdint>

#include "phasor/engine/cpu/simd.h"

namespace phasor {

#if defined(__AVX512F__)
inline constexpr int kProductRows = 8;  // 16 accumulators of 32 registers
inline constexpr int kProductVectors = 2;
#else
inline constexpr int kProductRows =
    4;  // of two registers each, of 16; where a register has 128 bits it spills a little
inline constexpr int kProductVectors = 1;
#endif

// Row counts that leave no partial block.
constexpr int64_t pad_rows(int64_t rows) { return (rows + kProductRows - 1) / kProductRows * kProductRows; }

// c[m, n] = a[m, k] b[k, n] (or +=). m is padded by pad_rows, n is a multiple of 16; element (i, p) of a lies at i *
// a_row + p * a_column.
struct SmallProduct {
  float* c;
  int64_t c_row;
  const float* a;
  int64_t a_row, a_column;
  const float* b;
  int64_t b_row;
  int64_t m, n, k;
};

template <int Rows, int Vectors, bool Accumulate>
[[gnu::always_inline]] inline void product_block(const SmallProduct& p, int64_t i, int64_t j) {
  using simd::Vec;
  Vec sums[Rows][Vectors];
  float* c = p.c + i * p.c_row + j;
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) {
      sums[r][v] = Accumulate ? simd::load(c + r * p.c_row + v * simd::kLanes) : Vec{};
    }
  }
  const float* a = p.a + i * p.a_row;
  const float* b = p.b + j;
  for (int64_t q = 0; q < p.k; ++q) {
    Vec row[Vectors];
    for (int v = 0; v < Vectors; ++v) row[v] = simd::load(b + q * p.b_row + v * simd::kLanes);
    for (int r = 0; r < Rows; ++r) {
      const float factor = a[r * p.a_row + q * p.a_column];
      for (int v = 0; v < Vectors; ++v) sums[r][v] += factor * row[v];
    }
  }
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) simd::store(c + r * p.c_row + v * simd::kLanes, sums[r][v]);
  }
}

template <int Rows, bool Accumulate>
inline void product_rows(const SmallProduct& p, int64_t i) {
  int64_t j = 0;
  constexpr int64_t kWide = kProductVectors * simd::kLanes;
  for (; j + kWide <= p.n; j += kWide) product_block<Rows, kProductVectors, Accumulate>(p, i, j);
  for (; j < p.n; j += simd::kLanes) product_block<Rows, 1, Accumulate>(p, i, j);
}

template <bool Accumulate>
inline void small_product(const SmallProduct& p) {
  for (int64_t i = 0; i < p.m; i += kProductRows) product_rows<kProductRows, Accumulate>(p, i);
}

}  // namespace phasor
