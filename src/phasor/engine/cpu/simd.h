#pragma once
// Sixteen floats at a time: one AVX-512 register, two AVX ones or four of 128 bits. The order of every sum is the same:
// lanes are independent, and folds have one tree.
#include <cstdint>
#include <cstring>

#include "phasor/tensor/bfloat16.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace phasor::simd {

inline constexpr int64_t kLanes = 16;

inline constexpr int64_t round_up(int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// One register, by the compiler's vector extension. A vector wider than the registers would live in memory.
#if defined(__AVX512F__)
using Register = float __attribute__((vector_size(64)));
using RegisterI = int32_t __attribute__((vector_size(64)));
#elif defined(__AVX__)
using Register = float __attribute__((vector_size(32)));
using RegisterI = int32_t __attribute__((vector_size(32)));
#else
using Register = float __attribute__((vector_size(16)));
using RegisterI = int32_t __attribute__((vector_size(16)));
#endif
inline constexpr int kRegisterLanes = sizeof(Register) / sizeof(float);

// Two halves that are worked on alike.
template <class Half>
struct Pair {
  Half low, high;
};

#define PHASOR_INLINE [[gnu::always_inline]] inline
#define PHASOR_PAIR_OPERATOR(op)                                          \
  template <class H>                                                      \
  PHASOR_INLINE Pair<H> operator op(const Pair<H>& a, const Pair<H>& b) { \
    return {a.low op b.low, a.high op b.high};                            \
  }                                                                       \
  template <class H>                                                      \
  PHASOR_INLINE Pair<H> operator op(const Pair<H>& a, float b) {          \
    return {a.low op b, a.high op b};                                     \
  }                                                                       \
  template <class H>                                                      \
  PHASOR_INLINE Pair<H> operator op(float a, const Pair<H>& b) {          \
    return {a op b.low, a op b.high};                                     \
  }
PHASOR_PAIR_OPERATOR(+)
PHASOR_PAIR_OPERATOR(-)
PHASOR_PAIR_OPERATOR(*)
PHASOR_PAIR_OPERATOR(/)
#undef PHASOR_PAIR_OPERATOR

template <class H>
PHASOR_INLINE Pair<H> operator-(const Pair<H>& a) {
  return {-a.low, -a.high};
}

template <class H>
PHASOR_INLINE Pair<H>& operator+=(Pair<H>& a, const Pair<H>& b) {
  a.low += b.low;
  a.high += b.high;
  return a;
}

#if defined(__AVX512F__)
using Vec = Register;
#elif defined(__AVX__)
using Vec = Pair<Register>;
#else
using Vec = Pair<Pair<Register>>;
#endif
static_assert(sizeof(Vec) == kLanes * sizeof(float));

// A function of registers, applied to all of a vector's.
template <class F, class... Registers>
PHASOR_INLINE Register each(const F& f, Register first, Registers... others) {
  return f(first, others...);
}
template <class F, class H, class... Pairs>
PHASOR_INLINE Pair<H> each(const F& f, const Pair<H>& first, const Pairs&... others) {
  return {each(f, first.low, others.low...), each(f, first.high, others.high...)};
}

// Register by register: a copy of the whole would be made of smaller pieces, in memory.
template <class V>
PHASOR_INLINE V load_as(const float* p) {
  V v;
  if constexpr (sizeof(V) == sizeof(Register)) {
    std::memcpy(&v, p, sizeof(v));
  } else {
    using Half = decltype(v.low);
    v = {load_as<Half>(p), load_as<Half>(p + sizeof(Half) / sizeof(float))};
  }
  return v;
}
PHASOR_INLINE Vec load(const float* p) { return load_as<Vec>(p); }

PHASOR_INLINE void store(float* p, Register v) { std::memcpy(p, &v, sizeof(v)); }
template <class H>
PHASOR_INLINE void store(float* p, const Pair<H>& v) {
  store(p, v.low);
  store(p + sizeof(H) / sizeof(float), v.high);
}

PHASOR_INLINE Vec splat(float x) { return Vec{} + x; }

PHASOR_INLINE Vec max(Vec a, Vec b) {
  return each(
      [](Register x, Register y) __attribute__((always_inline)) { return x > y ? x : y; }, a, b);
}

PHASOR_INLINE Vec abs(Vec v) {
  return each(
      [](Register x) __attribute__((always_inline)) { return x < 0.0f ? -x : x; }, v);
}

// a where x < 0, b elsewhere.
PHASOR_INLINE Vec where_negative(Vec x, Vec a, Vec b) {
  return each(
      [](Register c, Register y, Register n) __attribute__((always_inline)) { return c < 0.0f ? y : n; }, x, a, b);
}

// a where x > 0, 0 elsewhere.
PHASOR_INLINE Vec where_positive(Vec x, Vec a) {
  return each(
      [](Register c, Register y) __attribute__((always_inline)) { return c > 0.0f ? y : Register{}; }, x, a);
}

// Folds the lanes over each other, 8, 4, 2, 1 apart: a fixed tree.
template <class Fold>
PHASOR_INLINE float fold(Register v, const Fold& f) {
#if defined(__AVX512F__)
  v = f(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  v = f(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  v = f(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  v = f(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
#elif defined(__AVX__)
  v = f(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
  v = f(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
  v = f(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6));
#else
  v = f(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
  v = f(v, __builtin_shufflevector(v, v, 1, 0, 3, 2));
#endif
  return v[0];
}
template <class H, class Fold>
PHASOR_INLINE float fold(const Pair<H>& v, const Fold& f) {
  return fold(each(f, v.low, v.high), f);
}

PHASOR_INLINE float sum(Vec v) {
  return fold(
      v, [](Register a, Register b) __attribute__((always_inline)) { return a + b; });
}

PHASOR_INLINE float largest(Vec v) {
  return fold(
      v, [](Register a, Register b) __attribute__((always_inline)) { return a > b ? a : b; });
}

// v where the bit is set, 0 elsewhere.
PHASOR_INLINE Register keep(Register v, uint32_t bits) {
#if defined(__AVX512F__)
  return reinterpret_cast<Register>(_mm512_maskz_mov_ps(static_cast<__mmask16>(bits), reinterpret_cast<__m512>(v)));
#else
#if defined(__AVX__)
  const RegisterI lanes = {1, 2, 4, 8, 16, 32, 64, 128};
#else
  const RegisterI lanes = {1, 2, 4, 8};
#endif
  const RegisterI set = (RegisterI{} + static_cast<int32_t>(bits)) & lanes;
  return set != 0 ? v : Register{};
#endif
}
template <class H>
PHASOR_INLINE Pair<H> keep(const Pair<H>& v, uint32_t bits) {
  constexpr int kHalf = sizeof(H) / sizeof(float);
  return {keep(v.low, bits), keep(v.high, bits >> kHalf)};
}

// Neighbours exchanged; the even or the odd lanes twice.
PHASOR_INLINE Vec swap_neighbours(Vec v) {
  return each(
      [](Register x) __attribute__((always_inline)) {
#if defined(__AVX512F__)
        return __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
#elif defined(__AVX__)
        return __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
#else
        return __builtin_shufflevector(x, x, 1, 0, 3, 2);
#endif
      },
      v);
}
PHASOR_INLINE Vec twice_even(Vec v) {
  return each(
      [](Register x) __attribute__((always_inline)) {
#if defined(__AVX512F__)
        return __builtin_shufflevector(x, x, 0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14);
#elif defined(__AVX__)
        return __builtin_shufflevector(x, x, 0, 0, 2, 2, 4, 4, 6, 6);
#else
        return __builtin_shufflevector(x, x, 0, 0, 2, 2);
#endif
      },
      v);
}
PHASOR_INLINE Vec twice_odd(Vec v) {
  return each(
      [](Register x) __attribute__((always_inline)) {
#if defined(__AVX512F__)
        return __builtin_shufflevector(x, x, 1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 15, 15);
#elif defined(__AVX__)
        return __builtin_shufflevector(x, x, 1, 1, 3, 3, 5, 5, 7, 7);
#else
        return __builtin_shufflevector(x, x, 1, 1, 3, 3);
#endif
      },
      v);
}

// e^x with a relative error below 1.2e-7; exactly 0 below -87.3 (so e^-infinity is 0), and e^88 above 88.
PHASOR_INLINE Register exp(Register x) {
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
  const Register limited = x > 88.0f ? Register{} + 88.0f : x;
  const Register shifted = limited * 1.44269504088896341f + kRound;
  const Register n = shifted - kRound;
  // x - n ln 2 in two steps; n * 0.693359375 is exact.
  const Register r = (limited - n * 0.693359375f) + n * 2.12194440e-4f;
  Register p = Register{} + 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const RegisterI exponent = (reinterpret_cast<RegisterI>(shifted) - 0x4B400000 + 127) << 23;
  const Register result = p * reinterpret_cast<Register>(exponent);
  return x < -87.3f ? Register{} : result;
}

// log x for normal positive x, relative error below 1.2e-7 away from 1 and absolute error below 1e-7 near it.
PHASOR_INLINE Register log(Register x) {
  // x = m 2^e with m in [sqrt(1/2), sqrt 2).
  const RegisterI bits = reinterpret_cast<RegisterI>(x);
  const RegisterI shifted = bits - 0x3F3504F3;  // sqrt(1/2)
  const RegisterI exponent = shifted >> 23;
  const Register m = reinterpret_cast<Register>(bits - (exponent << 23)) - 1.0f;
  const Register e = __builtin_convertvector(exponent, Register);
  const Register z = m * m;
  Register p = Register{} + 7.0376836292e-2f;
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

template <class H>
PHASOR_INLINE Pair<H> exp(const Pair<H>& x) {
  return {exp(x.low), exp(x.high)};
}
template <class H>
PHASOR_INLINE Pair<H> log(const Pair<H>& x) {
  return {log(x.low), log(x.high)};
}

// A square of registers: b[c][r] = a[r][c].
PHASOR_INLINE void transpose_registers(float* b, int64_t b_stride, const float* a, int64_t a_stride) {
  Register x[kRegisterLanes], y[kRegisterLanes];
  for (int r = 0; r < kRegisterLanes; ++r) std::memcpy(&x[r], a + r * a_stride, sizeof(Register));
    // Exchange blocks of half the lanes, then of a quarter, and so on between rows that far apart.
#if defined(__AVX512F__)
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
    x[r] = __builtin_shufflevector(y[r], y[r + 1], 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
    x[r + 1] = __builtin_shufflevector(y[r], y[r + 1], 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
  }
#elif defined(__AVX__)
  for (int r = 0; r < 4; ++r) {
    y[r] = __builtin_shufflevector(x[r], x[r + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    y[r + 4] = __builtin_shufflevector(x[r], x[r + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (int h = 0; h < 8; h += 4) {
    for (int r = h; r < h + 2; ++r) {
      x[r] = __builtin_shufflevector(y[r], y[r + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      x[r + 2] = __builtin_shufflevector(y[r], y[r + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int r = 0; r < 8; r += 2) {
    y[r] = __builtin_shufflevector(x[r], x[r + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    y[r + 1] = __builtin_shufflevector(x[r], x[r + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int r = 0; r < 8; ++r) x[r] = y[r];
#else
  for (int r = 0; r < 2; ++r) {
    y[r] = __builtin_shufflevector(x[r], x[r + 2], 0, 1, 4, 5);
    y[r + 2] = __builtin_shufflevector(x[r], x[r + 2], 2, 3, 6, 7);
  }
  for (int r = 0; r < 4; r += 2) {
    x[r] = __builtin_shufflevector(y[r], y[r + 1], 0, 4, 2, 6);
    x[r + 1] = __builtin_shufflevector(y[r], y[r + 1], 1, 5, 3, 7);
  }
#endif
  for (int r = 0; r < kRegisterLanes; ++r) std::memcpy(b + r * b_stride, &x[r], sizeof(Register));
}

// Sixteen rows of sixteen become columns: b[c][r] = a[r][c].
PHASOR_INLINE void transpose_square(float* b, int64_t b_stride, const float* a, int64_t a_stride) {
  for (int r = 0; r < kLanes; r += kRegisterLanes) {
    for (int c = 0; c < kLanes; c += kRegisterLanes) {
      transpose_registers(b + c * b_stride + r, b_stride, a + r * a_stride + c, a_stride);
    }
  }
}

// Of rows padded with zeros to a multiple of kLanes.
PHASOR_INLINE float inner_product(const float* a, const float* b, int64_t padded) {
  Vec sums = {};
  for (int64_t c = 0; c < padded; c += kLanes) sums += load(a + c) * load(b + c);
  return sum(sums);
}

#undef PHASOR_INLINE

}  // namespace phasor::simd
