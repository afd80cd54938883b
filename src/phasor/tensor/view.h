#pragma once
// A window on memory owned elsewhere, on either device. The last dimension is contiguous; earlier
// ones may be strided. Trivially copyable, so it crosses into a CUDA kernel by value.
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "phasor/tensor/host_device.h"

namespace phasor {

template <class T, int Rank>
class View {
 public:
  View() = default;

  // Packed row-major memory: View<float, 2>(data, rows, columns).
  template <class... Extents>
    requires(sizeof...(Extents) == Rank && (std::is_convertible_v<Extents, int64_t> && ...))
  PHASOR_HOST_DEVICE explicit View(T* data, Extents... extents)
      : data_(data), extents_{static_cast<int64_t>(extents)...} {
    int64_t stride = 1;
    for (int d = Rank - 1; d >= 0; --d) {
      strides_[d] = stride;
      stride *= extents_[d];
    }
  }

  // A view of mutable elements is also a view of const ones.
  template <class U>
    requires(std::is_same_v<T, const U>)
  PHASOR_HOST_DEVICE View(const View<U, Rank>& other) : data_(other.data()) {  // NOLINT(google-explicit-constructor)
    for (int d = 0; d < Rank; ++d) {
      extents_[d] = other.extent(d);
      strides_[d] = other.stride(d);
    }
  }

  PHASOR_HOST_DEVICE T* data() const { return data_; }
  PHASOR_HOST_DEVICE bool empty() const { return data_ == nullptr; }
  PHASOR_HOST_DEVICE int64_t extent(int dimension) const { return extents_[dimension]; }
  PHASOR_HOST_DEVICE int64_t stride(int dimension) const { return strides_[dimension]; }
  PHASOR_HOST_DEVICE int64_t size() const {
    int64_t product = 1;
    for (int d = 0; d < Rank; ++d) product *= extents_[d];
    return product;
  }

  template <class... I>
    requires(sizeof...(I) == Rank)
  PHASOR_HOST_DEVICE T& operator()(I... index) const { return data_[offset(index...)]; }

  // The contiguous last dimension at the given leading indices.
  template <class... I>
    requires(sizeof...(I) == Rank - 1)
  PHASOR_HOST_DEVICE T* row(I... index) const { return data_ + offset(index...); }

  // Part of the last dimension: [first, first + count).
  PHASOR_HOST_DEVICE View last_range(int64_t first, int64_t count) const {
    View part = *this;
    part.data_ += first;
    part.extents_[Rank - 1] = count;
    return part;
  }

 private:
  template <class... I>
  PHASOR_HOST_DEVICE int64_t offset(I... index) const {
    int64_t sum = 0;
    int d = 0;
    ((assert(static_cast<int64_t>(index) >= 0 && static_cast<int64_t>(index) < extents_[d]),
      sum += static_cast<int64_t>(index) * strides_[d], ++d),
     ...);
    return sum;
  }

  T* data_ = nullptr;
  int64_t extents_[Rank] = {};
  int64_t strides_[Rank] = {};
};

}  // namespace phasor
