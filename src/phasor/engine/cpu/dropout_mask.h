#pragma once
// Dropout decisions for 128 consecutive indices at a time.
#include <array>
#include <cstdint>

#include "phasor/engine/ops.h"

namespace phasor {

class DropoutMask {
 public:
  // site_offset is added to the stream's site (the head, in attention).
  explicit DropoutMask(const Dropout& dropout, uint32_t site_offset = 0);

  bool active() const { return threshold_ != 0; }
  float keep_scale() const { return keep_scale_; }

  static constexpr uint64_t kRun = 128;
  // Bit b % 64 of word b / 64 tells whether index first + b is kept. `first` must be a multiple of kRun.
  std::array<uint64_t, 2> keep_bits(uint64_t first) const;
  bool keeps(uint64_t index) const {
    return (keep_bits(index / kRun * kRun)[index % kRun / 64] >> (index % 64) & 1u) != 0;
  }

 private:
  PhiloxKey key_;
  uint32_t site_ = 0;
  uint32_t step_ = 0;
  uint32_t threshold_ = 0;
  float keep_scale_ = 1.0f;
};

}  // namespace phasor
