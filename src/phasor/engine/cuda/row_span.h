#pragma once
// Rows of a matrix of which only the device knows how many are in use. For .cu files.
#include <cstdint>

namespace phasor::cuda {

// The rows first .. first + count() - 1 of a matrix of which `used` (null: all) are in use.
struct RowSpan {
  const int32_t* used = nullptr;
  int64_t first = 0;
  int64_t capacity = 0;  // of the span

  __device__ int64_t count() const {
    if (used == nullptr) return capacity;
    const int64_t left = *used - first;
    return left < 0 ? 0 : (left < capacity ? left : capacity);
  }
};

}  // namespace phasor::cuda
