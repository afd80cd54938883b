#pragma once
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011).
// Ten rounds of a bijection on 128-bit counters: no state, the same words on every device.
#include <array>
#include <cstdint>

#include "phasor/tensor/host_device.h"

namespace phasor {

struct PhiloxKey {
  uint32_t low = 0;
  uint32_t high = 0;
};

using PhiloxBlock = std::array<uint32_t, 4>;

namespace philox {
inline constexpr uint32_t kMultiplier0 = 0xD2511F53u;
inline constexpr uint32_t kMultiplier1 = 0xCD9E8D57u;
inline constexpr uint32_t kWeyl0 = 0x9E3779B9u;
inline constexpr uint32_t kWeyl1 = 0xBB67AE85u;
inline constexpr int kRounds = 10;
}  // namespace philox

PHASOR_HOST_DEVICE constexpr PhiloxBlock philox4x32(PhiloxBlock counter, PhiloxKey key) {
  for (int round = 0; round < philox::kRounds; ++round) {
    const uint64_t product0 = uint64_t{philox::kMultiplier0} * counter[0];
    const uint64_t product1 = uint64_t{philox::kMultiplier1} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key.low, static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key.high, static_cast<uint32_t>(product0)};
    key.low += philox::kWeyl0;
    key.high += philox::kWeyl1;
  }
  return counter;
}

}  // namespace phasor
