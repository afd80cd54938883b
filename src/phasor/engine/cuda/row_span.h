#pragma once
// Rows of a matrix of which only the device knows how many are in use. For .cu files.
#include <cstdint>

#include "phasor/engine/ops.h"

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

// All rows that the host knows may be in use, of a matrix of `capacity` rows.
inline RowSpan row_span(const Rows& rows, int64_t capacity) {
  return {rows.used, 0, rows.used != nullptr && rows.bound >= 0 && rows.bound < capacity ? rows.bound : capacity};
}

}  // namespace phasor::cuda
