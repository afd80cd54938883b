#pragma once
// One block of device memory carved into views at start-up: a training step allocates nothing on the device.
#include <cassert>
#include <cstdint>

#include "phasor/engine/backend.h"

namespace phasor {

// Carving happens twice with the same calls: first over nothing, to measure, then over real memory.
class Arena {
 public:
  Arena() = default;  // measures only: views have null data
  Arena(Backend& backend, size_t bytes) : memory_(backend.allocate(bytes)) {}

  template <class T, class... Extents>
  View<T, sizeof...(Extents)> view(Extents... extents) {
    const int64_t count = (int64_t{1} * ... * static_cast<int64_t>(extents));
    return View<T, sizeof...(Extents)>(static_cast<T*>(take(static_cast<size_t>(count) * sizeof(T))), extents...);
  }

  Matrix matrix(Dtype dtype, int64_t rows, int64_t columns) {
    return {take(static_cast<size_t>(rows * columns * byte_size(dtype))), dtype, rows, columns};
  }

  size_t used() const { return used_; }
  size_t bytes() const { return memory_.bytes(); }

 private:
  void* take(size_t bytes) {
    const size_t start = used_;
    used_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (memory_.data() == nullptr) return nullptr;
    assert(used_ <= memory_.bytes());
    return static_cast<char*>(memory_.data()) + start;
  }

  static constexpr size_t kAlignment = 256;
  Memory memory_;
  size_t used_ = 0;
};

}  // namespace phasor
