#pragma once
// A stream of random words that is a pure function of its coordinates (seed, purpose, site, step,
// index): no state to lock, to order or to save. Threads, tilings, devices and resuming cannot
// change a draw.
#include <cstdint>

#include "phasor/random/philox.h"

namespace phasor {

// Draws for different purposes never meet, even with equal seeds.
enum class Purpose : uint32_t {
  initialization = 1,
  data = 2,
  shuffle = 3,
  dropout = 4,
  encoding = 5,
  test = 6,
  floors = 7,
  stream = 8,       // training samples that never come again
  lengths = 9,      // samples longer than those of training
  statistics = 10,  // resamples and permutations
  ablation = 11     // stand-ins for heads
};

struct RandomStream {
  uint64_t seed = 0;
  Purpose purpose = Purpose::initialization;
  uint32_t site = 0;  // which parameter, layer or head
  uint32_t step = 0;  // training step or sample number

  PHASOR_HOST_DEVICE constexpr PhiloxKey key() const {
    // splitmix64's finaliser spreads neighbouring seeds and purposes over the whole key.
    uint64_t z = seed + 0x9E3779B97F4A7C15u * (static_cast<uint64_t>(purpose) + 1);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return {static_cast<uint32_t>(z), static_cast<uint32_t>(z >> 32)};
  }

  // The four words at indices 4 * block .. 4 * block + 3.
  PHASOR_HOST_DEVICE constexpr PhiloxBlock block(uint64_t block_index) const {
    return philox4x32({static_cast<uint32_t>(block_index), static_cast<uint32_t>(block_index >> 32), site, step},
                      key());
  }

  PHASOR_HOST_DEVICE constexpr uint32_t word(uint64_t index) const { return block(index / 4)[index % 4]; }
};

// Dropout: decisions of 16 bits, eight of them in a block of words. What decision `index` of a stream says is half a
// word, the low one first, and it drops where the half is below a threshold. Integers only, so that every device
// agrees.
namespace drop {
inline constexpr uint32_t kInBlock = 8;      // decisions of a block
inline constexpr uint32_t kRange = 1 << 16;  // halves are below it

// The nearest to rate * 2^16 at which something is kept: rates are multiples of 2^-16.
PHASOR_HOST_DEVICE constexpr uint32_t threshold(double rate) {
  const uint32_t nearest = (static_cast<uint32_t>(rate * (2 * kRange)) + 1) / 2;
  return nearest < kRange ? nearest : kRange - 1;
}

// What is kept is multiplied by one over the share that is kept.
PHASOR_HOST_DEVICE constexpr float keep_scale(uint32_t threshold) {
  return static_cast<float>(kRange) / static_cast<float>(kRange - threshold);
}

PHASOR_HOST_DEVICE constexpr uint32_t half(const PhiloxBlock& block, uint32_t decision) {
  return block[decision / 2] >> (decision % 2 * 16) & 0xffffu;
}
}  // namespace drop

}  // namespace phasor
