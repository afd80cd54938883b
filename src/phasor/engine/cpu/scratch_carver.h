#pragma once
// Hands out pieces of one scratch block.
#include <cstdint>

#include "phasor/engine/cpu/simd.h"

namespace phasor {

class ScratchCarver {
 public:
  explicit ScratchCarver(float* data) : next_(data) {}
  float* take(int64_t count) {
    float* piece = next_;
    next_ += simd::round_up(count);
    return piece;
  }

 private:
  float* next_;
};

}  // namespace phasor
