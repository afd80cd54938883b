#pragma once
// Dropout decisions for 64 consecutive indices at a time: bit b tells whether index first + b is kept.
#include <cstdint>

#include "phasor/engine/ops.h"

namespace phasor {

class DropoutMask {
 public:
  // site_offset is added to the stream's site (the head, in attention).
  explicit DropoutMask(const Dropout& dropout, uint32_t site_offset = 0);

  bool active() const { return threshold_ != 0; }
  float keep_scale() const { return keep_scale_; }

  // first must be a multiple of 64.
  uint64_t keep_bits(uint64_t first) const;
  // Any first; takes two blocks where it is no multiple of 64.
  uint64_t keep_bits_at(uint64_t first) const {
    const uint64_t shift = first % 64;
    const uint64_t low = keep_bits(first - shift) >> shift;
    return shift == 0 ? low : low | keep_bits(first - shift + 64) << (64 - shift);
  }

 private:
  PhiloxKey key_;
  uint32_t site_ = 0;
  uint32_t step_ = 0;
  uint32_t threshold_ = 0;
  float keep_scale_ = 1.0f;
};

}  // namespace phasor
