#pragma once
// Dropout decisions on the device: the CPU's words (random/philox.h), the CPU's comparison. For .cu files.
#include <cstdint>

#include "phasor/engine/ops.h"

namespace phasor::cuda {

// Made in a kernel: it reads *dropout.step.
class DropoutMask {
 public:
  // site_offset is added to the stream's site (the head, in attention).
  __device__ explicit DropoutMask(const Dropout& dropout, uint32_t site_offset = 0)
      : key_(dropout.stream.key()),
        site_(dropout.stream.site + site_offset),
        step_(dropout.step != nullptr ? *dropout.step : dropout.stream.step),
        threshold_(drop::threshold(dropout.rate)),
        keep_scale_(drop::keep_scale(threshold_)) {}

  __device__ bool active() const { return threshold_ != 0; }
  __device__ float keep_scale() const { return keep_scale_; }

  // Bit b tells whether index 8 * block + b is kept: one Philox block decides eight neighbours.
  __device__ unsigned keep_bits(uint64_t block) const {
    const PhiloxBlock words =
        philox4x32({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), site_, step_}, key_);
    unsigned bits = 0;
#pragma unroll
    for (unsigned d = 0; d < drop::kInBlock; ++d) bits |= (drop::half(words, d) >= threshold_ ? 1u : 0u) << d;
    return bits;
  }
  __device__ bool keeps(uint64_t index) const {
    return (keep_bits(index / drop::kInBlock) >> static_cast<unsigned>(index % drop::kInBlock) & 1u) != 0;
  }

 private:
  PhiloxKey key_;
  uint32_t site_, step_, threshold_;
  float keep_scale_;
};

}  // namespace phasor::cuda
