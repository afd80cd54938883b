#include "phasor/engine/cpu/attention_features.h"

#include <algorithm>

#include "phasor/engine/cpu/simd.h"

namespace phasor {
namespace {

using simd::kLanes;
using simd::Vec;

// log(1 + e), e = e^-|x|, with what 1 + e loses to rounding put back: relatively exact however small e is.
Vec softplus_of(Vec x) {
  const Vec e = simd::exp(-simd::abs(x));
  const Vec sum = e + 1.0f;
  return simd::max(x, Vec{}) + (simd::log(sum) + (e - (sum - 1.0f)) / sum);
}

Vec slope_of(Vec x) { return simd::splat(1.0f) / (simd::exp(-x) + 1.0f); }

}  // namespace

void to_features(float* to, const float* x, int64_t width) {
  alignas(64) float values[kLanes] = {};
  for (int64_t c = 0; c < width; c += kLanes) {
    const int64_t count = std::min(kLanes, width - c);
    std::copy_n(x + c, count, values);
    simd::store(values, softplus_of(simd::load(values)));
    for (int64_t k = 0; k < count; ++k) {
      to[2 * (c + k)] = values[k];
      to[2 * (c + k) + 1] = 0.0f;
    }
  }
}

void from_features(float* gradient, const float* x, int64_t width) {
  alignas(64) float slopes[kLanes] = {};
  for (int64_t c = 0; c < width; c += kLanes) {
    const int64_t count = std::min(kLanes, width - c);
    std::copy_n(x + c, count, slopes);
    simd::store(slopes, slope_of(simd::load(slopes)));
    for (int64_t k = 0; k < count; ++k) gradient[c + k] = gradient[2 * (c + k)] * slopes[k];
  }
}

}  // namespace phasor
