#pragma once
// Working memory of one thread, kept between calls: after warm-up nothing is allocated.
#include <cstdint>

namespace phasor {

// At least `bytes`, 64-byte aligned, contents undefined. Each slot is one block per thread; asking again
// may move it.
enum class ScratchSlot : uint8_t { tile, packed_a, packed_b, attention, count };
void* thread_scratch(ScratchSlot slot, int64_t bytes);

inline float* float_scratch(ScratchSlot slot, int64_t count) {
  return static_cast<float*>(thread_scratch(slot, count * static_cast<int64_t>(sizeof(float))));
}

}  // namespace phasor
