#pragma once
// Sixteen floats at a time, by the compiler's vector extension: one AVX-512 register, two AVX2 ones,
// or whatever the target has. Results do not depend on which.
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

// Fixed tree, so that a sum has the same bits on every target.
[[gnu::always_inline]] inline float sum(Vec v) {
  float a[8], b[4];
  for (int i = 0; i < 8; ++i) a[i] = v[i] + v[i + 8];
  for (int i = 0; i < 4; ++i) b[i] = a[i] + a[i + 4];
  return (b[0] + b[2]) + (b[1] + b[3]);
}

[[gnu::always_inline]] inline float largest(Vec v) {
  float m = v[0];
  for (int i = 1; i < kLanes; ++i) m = v[i] > m ? v[i] : m;
  return m;
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

}  // namespace phasor::simd
