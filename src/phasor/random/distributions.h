#pragma once
// Host-side draws in double. Devices never draw normals: their logarithms differ in the last bit.
#include <cstdint>

#include "phasor/random/stream.h"

namespace phasor {

// Uniform in (0, 1), 52 random bits; never 0 and never 1. Uses words 2 * index and 2 * index + 1.
double uniform(const RandomStream& stream, uint64_t index);

// Standard normal by Box and Muller; normals 2 i and 2 i + 1 share one Philox block.
double normal(const RandomStream& stream, uint64_t index);

// A cursor over one stream, for code that draws a varying number of values in order.
class Draws {
 public:
  explicit Draws(const RandomStream& stream) : stream_(stream) {}
  // Uniform in 0 .. bound - 1, without bias (rejection).
  uint32_t below(uint32_t bound);

 private:
  uint32_t next();

  RandomStream stream_;
  PhiloxBlock block_ = {};
  uint64_t index_ = 0;
};

}  // namespace phasor
