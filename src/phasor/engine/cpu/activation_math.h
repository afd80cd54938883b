#pragma once
// The pointwise functions of linear layers, on rows of floats.
#include <cmath>
#include <cstdint>

#include "phasor/engine/cpu/simd.h"
#include "phasor/engine/ops.h"

namespace phasor {

// Phi(x) = (1 + erf(x / sqrt 2)) / 2, absolute error below 2e-7, and phi(x) = exp(-x^2 / 2) / sqrt(2 pi).
struct NormalDistribution {
  simd::Vec cumulative, density;
};

[[gnu::always_inline]] inline NormalDistribution normal_distribution(simd::Vec x) {
  using simd::Vec;
  // Abramowitz and Stegun 7.1.26 for the tail: erfc(u) = t (a1 + t (a2 + ...)) exp(-u^2), u = |x| / sqrt 2.
  const Vec u = simd::abs(x) * 0.70710678118654752f;
  const Vec t = 1.0f / (1.0f + 0.3275911f * u);
  const Vec bell = simd::exp(-u * u);
  Vec p = simd::splat(1.061405429f);
  p = p * t - 1.453152027f;
  p = p * t + 1.421413741f;
  p = p * t - 0.284496736f;
  p = p * t + 0.254829592f;
  const Vec tail = 0.5f * p * t * bell;
  return {simd::where_negative(x, tail, 1.0f - tail), bell * 0.39894228040143268f};
}

// Applies f to sixteen values at a time; the last ones through a padded copy.
template <class F>
void for_vectors(float* x, const float* y, int64_t count, const F& f) {
  int64_t i = 0;
  for (; i + simd::kLanes <= count; i += simd::kLanes) simd::store(x + i, f(simd::load(x + i), simd::load(y + i)));
  if (i == count) return;
  float a[simd::kLanes] = {}, b[simd::kLanes] = {};
  for (int64_t j = i; j < count; ++j) {
    a[j - i] = x[j];
    b[j - i] = y[j];
  }
  simd::store(a, f(simd::load(a), simd::load(b)));
  for (int64_t j = i; j < count; ++j) x[j] = a[j - i];
}

inline void activate(Activation activation, float* x, int64_t count) {
  if (activation == Activation::relu) {
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) x[i] = x[i] < 0.0f ? 0.0f : x[i];  // NaN stays NaN
  } else if (activation == Activation::gelu) {
    for_vectors(x, x, count, [](simd::Vec v, simd::Vec) { return v * normal_distribution(v).cumulative; });
  }
}

// dz = dy * activation'(z). `saved` is y for relu and the preactivation for gelu.
inline void multiply_by_slope(Activation activation, float* dy, const float* saved, int64_t count) {
  if (activation == Activation::relu) {
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) dy[i] = saved[i] > 0.0f ? dy[i] : 0.0f;
  } else if (activation == Activation::gelu) {
    for_vectors(dy, saved, count, [](simd::Vec d, simd::Vec z) {
      const NormalDistribution normal = normal_distribution(z);
      return d * (normal.cumulative + z * normal.density);
    });
  }
}

}  // namespace phasor
