#pragma once
// A row-major matrix whose element type is known at run time: activations and the weights they meet
// are fp32 or bf16 by configuration, not by template. Rows may be strided, columns are contiguous.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "phasor/tensor/bfloat16.h"
#include "phasor/tensor/view.h"

namespace phasor {

enum class Dtype : uint8_t { f32, bf16 };

PHASOR_HOST_DEVICE constexpr int64_t byte_size(Dtype dtype) { return dtype == Dtype::f32 ? 4 : 2; }
constexpr const char* name(Dtype dtype) { return dtype == Dtype::f32 ? "fp32" : "bf16"; }

template <class Void>
class BasicMatrix {
  static constexpr bool kConst = std::is_const_v<Void>;
  template <class T>
  using Element = std::conditional_t<kConst, const T, T>;

 public:
  BasicMatrix() = default;
  PHASOR_HOST_DEVICE BasicMatrix(Void* data, Dtype dtype, int64_t rows, int64_t columns, int64_t stride)
      : data_(data), dtype_(dtype), rows_(rows), columns_(columns), stride_(stride) {}
  PHASOR_HOST_DEVICE BasicMatrix(Void* data, Dtype dtype, int64_t rows, int64_t columns)
      : BasicMatrix(data, dtype, rows, columns, columns) {}
  // An fp32 view is a matrix.
  PHASOR_HOST_DEVICE BasicMatrix(const View<Element<float>, 2>& view)  // NOLINT(google-explicit-constructor)
      : BasicMatrix(view.data(), Dtype::f32, view.extent(0), view.extent(1), view.stride(0)) {}
  template <class Other>
    requires(kConst && !std::is_const_v<Other>)
  PHASOR_HOST_DEVICE BasicMatrix(const BasicMatrix<Other>& other)  // NOLINT(google-explicit-constructor)
      : BasicMatrix(other.data(), other.dtype(), other.rows(), other.columns(), other.stride()) {}
  template <class U>
    requires(kConst&& std::is_same_v<U, float>)
  PHASOR_HOST_DEVICE BasicMatrix(const View<U, 2>& view)  // NOLINT(google-explicit-constructor)
      : BasicMatrix(view.data(), Dtype::f32, view.extent(0), view.extent(1), view.stride(0)) {}

  PHASOR_HOST_DEVICE Void* data() const { return data_; }
  PHASOR_HOST_DEVICE Dtype dtype() const { return dtype_; }
  PHASOR_HOST_DEVICE bool empty() const { return data_ == nullptr; }
  PHASOR_HOST_DEVICE int64_t rows() const { return rows_; }
  PHASOR_HOST_DEVICE int64_t columns() const { return columns_; }
  PHASOR_HOST_DEVICE int64_t stride() const { return stride_; }

  template <class T>
  PHASOR_HOST_DEVICE Element<T>* row(int64_t r) const {
    return static_cast<Element<T>*>(data_) + r * stride_;
  }
  // Address of element (r, c) whatever the dtype.
  PHASOR_HOST_DEVICE Void* at(int64_t r, int64_t c) const {
    using Byte = std::conditional_t<kConst, const std::byte, std::byte>;
    return static_cast<Byte*>(data_) + (r * stride_ + c) * byte_size(dtype_);
  }
  PHASOR_HOST_DEVICE BasicMatrix row_range(int64_t first, int64_t count) const {
    return {at(first, 0), dtype_, count, columns_, stride_};
  }
  PHASOR_HOST_DEVICE BasicMatrix column_range(int64_t first, int64_t count) const {
    return {at(0, first), dtype_, rows_, count, stride_};
  }

 private:
  Void* data_ = nullptr;
  Dtype dtype_ = Dtype::f32;
  int64_t rows_ = 0;
  int64_t columns_ = 0;
  int64_t stride_ = 0;
};

using Matrix = BasicMatrix<void>;
using ConstMatrix = BasicMatrix<const void>;

}  // namespace phasor
