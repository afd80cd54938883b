#pragma once
// Sixteen floats at a time, by the compiler's vector extension: one AVX-512 register, two AVX2 ones,
// or whatever the target has.
#include <cstdint>
#include <cstring>

#include "phasor/tensor/bfloat16.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace phasor::simd {

inline constexpr int64_t kLanes = 16;
using Vec = float __attribute__((vector_size(64)));
using VecI = int32_t __attribute__((vector_size(64)));

inline constexpr int64_t round_up(int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

[[gnu::always_inline]] inline Vec load(const float* p) {
  Vec v;
  std::memcpy(&v, p, sizeof(v));
  return v;
}

[[gnu::always_inline]] inline void store(float* p, Vec v) { std::memcpy(p, &v, sizeof(v)); }

[[gnu::always_inline]] inline Vec splat(float x) { return Vec{} + x; }

[[gnu::always_inline]] inline Vec max(Vec a, Vec b) { return a > b ? a : b; }

// Folds the lanes over each other, 8, 4, 2, 1 apart: a fixed tree.
template <class Fold>
[[gnu::always_inline]] inline float fold(Vec v, const Fold& f) {
  v = f(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  v = f(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  v = f(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  v = f(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
  return v[0];
}

[[gnu::always_inline]] inline float sum(Vec v) {
  return fold(
      v, [](Vec a, Vec b) __attribute__((always_inline)) { return a + b; });
}

[[gnu::always_inline]] inline float largest(Vec v) {
  return fold(
      v, [](Vec a, Vec b) __attribute__((always_inline)) { return max(a, b); });
}

// v where the bit is set, 0 elsewhere.
[[gnu::always_inline]] inline Vec keep(Vec v, uint16_t bits) {
#if defined(__AVX512F__)
  return reinterpret_cast<Vec>(_mm512_maskz_mov_ps(bits, reinterpret_cast<__m512>(v)));
#else
  VecI lanes = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
  VecI set = (VecI{} + static_cast<int32_t>(bits)) & lanes;
  return set != 0 ? v : Vec{};
#endif
}

// e^x with a relative error below 1.2e-7; exactly 0 below -87.3 (so e^-infinity is 0), and e^88 above 88.
[[gnu::always_inline]] inline Vec exp(Vec x) {
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
  const Vec limited = x > 88.0f ? splat(88.0f) : x;
  const Vec shifted = limited * 1.44269504088896341f + kRound;
  const Vec n = shifted - kRound;
  // x - n ln 2 in two steps; n * 0.693359375 is exact.
  const Vec r = (limited - n * 0.693359375f) + n * 2.12194440e-4f;
  Vec p = splat(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const VecI exponent = (reinterpret_cast<VecI>(shifted) - 0x4B400000 + 127) << 23;
  const Vec result = p * reinterpret_cast<Vec>(exponent);
  return x < -87.3f ? Vec{} : result;
}

// log x for normal positive x, relative error below 1.2e-7 away from 1 and absolute error below 1e-7 near it.
[[gnu::always_inline]] inline Vec log(Vec x) {
  // x = m 2^e with m in [sqrt(1/2), sqrt 2).
  const VecI bits = reinterpret_cast<VecI>(x);
  const VecI shifted = bits - 0x3F3504F3;  // sqrt(1/2)
  const VecI exponent = shifted >> 23;
  const Vec m = reinterpret_cast<Vec>(bits - (exponent << 23)) - 1.0f;
  const Vec e = __builtin_convertvector(exponent, Vec);
  const Vec z = m * m;
  Vec p = splat(7.0376836292e-2f);
  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  p = p * m * z - e * 2.12194440e-4f - 0.5f * z;
  return m + p + e * 0.693359375f;
}

// Sixteen rows of sixteen become columns: b[c][r] = a[r][c].
[[gnu::always_inline]] inline void transpose_square(float* b, int64_t b_stride, const float* a, int64_t a_stride) {
  Vec x[16], y[16];
  for (int r = 0; r < 16; ++r) x[r] = load(a + r * a_stride);
  // Exchange blocks of 8, 4, 2 and 1 between rows that far apart.
  for (int r = 0; r < 8; ++r) {
    y[r] = __builtin_shufflevector(x[r], x[r + 8], 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    y[r + 8] = __builtin_shufflevector(x[r], x[r + 8], 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  }
  for (int h = 0; h < 16; h += 8) {
    for (int r = h; r < h + 4; ++r) {
      x[r] = __builtin_shufflevector(y[r], y[r + 4], 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
      x[r + 4] = __builtin_shufflevector(y[r], y[r + 4], 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
    }
  }
  for (int h = 0; h < 16; h += 4) {
    for (int r = h; r < h + 2; ++r) {
      y[r] = __builtin_shufflevector(x[r], x[r + 2], 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
      y[r + 2] = __builtin_shufflevector(x[r], x[r + 2], 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    }
  }
  for (int r = 0; r < 16; r += 2) {
    store(b + r * b_stride,
          __builtin_shufflevector(y[r], y[r + 1], 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30));
    store(b + (r + 1) * b_stride,
          __builtin_shufflevector(y[r], y[r + 1], 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31));
  }
}

}  // namespace phasor::simd
