#pragma once
// The pointwise functions of linear layers, for .cu files.
#include "phasor/engine/ops.h"

namespace phasor::cuda {

__device__ inline float activate(Activation activation, float x) {
  switch (activation) {
    case Activation::relu:
      return x < 0.0f ? 0.0f : x;  // NaN stays NaN
    case Activation::gelu:
      return x * normcdff(x);
    default:
      return x;
  }
}

// dy * activation'. `saved` is y for relu and the preactivation for gelu.
__device__ inline float multiply_by_slope(Activation activation, float dy, float saved) {
  switch (activation) {
    case Activation::relu:
      return saved > 0.0f ? dy : 0.0f;
    case Activation::gelu:
      return dy * (normcdff(saved) + saved * (expf(-0.5f * saved * saved) * 0.39894228040143268f));
    default:
      return dy;
  }
}

}  // namespace phasor::cuda
