#pragma once
// Device memory for tests. Everything starts as poison (a NaN, a senseless index), so that an op that
// reads or writes past the rows in use, or into the gap between rows, is found out.
#include <cstring>
#include <span>
#include <vector>

#include "phasor/engine/backend.h"
#include "reference/grid.h"
#include "support/random_data.h"

namespace phasor::testing_support {

using Bytes = std::vector<std::byte>;

// A matrix with room for more rows than are in use and a gap after each row.
class DeviceMatrix {
 public:
  DeviceMatrix() = default;
  DeviceMatrix(Backend& backend, Dtype dtype, int64_t rows, int64_t columns, int64_t gap = 0)
      : backend_(&backend), dtype_(dtype), rows_(rows), columns_(columns), stride_(columns + gap) {
    memory_ = backend.allocate(bytes());
    upload(Bytes(bytes()), true);
  }
  // Holds `values` in its first rows.
  DeviceMatrix(Backend& backend, Dtype dtype, const Grid<double>& values, int64_t spare_rows = 0, int64_t gap = 0)
      : DeviceMatrix(backend, dtype, values.rows + spare_rows, values.columns, gap) {
    write(values);
  }

  Matrix matrix() const {
    if (memory_.data() == nullptr) return {};
    return {memory_.data(), dtype_, rows_, columns_, stride_};
  }
  // fp32 without gaps only.
  View<float, 2> view() const { return View<float, 2>(static_cast<float*>(memory_.data()), rows_, columns_); }
  View<float, 1> flat() const { return View<float, 1>(static_cast<float*>(memory_.data()), rows_ * columns_); }

  void write(const Grid<double>& values, int64_t first_column = 0) {
    Bytes image = download();
    for (int64_t r = 0; r < values.rows; ++r) {
      for (int64_t c = 0; c < values.columns; ++c) put(image, r * stride_ + first_column + c, values(r, c));
    }
    upload(image, false);
  }

  Grid<double> read(int64_t rows, int64_t first_column, int64_t columns) const {
    const Bytes image = download();
    Grid<double> values(rows, columns);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) values(r, c) = get(image, r * stride_ + first_column + c);
    }
    return values;
  }
  Grid<double> read(int64_t rows) const { return read(rows, 0, columns_); }

  // Elements outside the first `rows` rows (and in every gap) that no longer hold poison.
  int64_t spoiled_beyond(int64_t rows) const {
    const Bytes image = download();
    const Bytes poison = poisoned(Bytes(bytes()));
    const auto size = static_cast<size_t>(byte_size(dtype_));
    int64_t count = 0;
    for (int64_t r = 0; r < rows_; ++r) {
      for (int64_t c = r < rows ? columns_ : 0; c < stride_; ++c) {
        const size_t at = static_cast<size_t>(r * stride_ + c) * size;
        count += std::memcmp(&image[at], &poison[at], size) != 0;
      }
    }
    return count;
  }

  Bytes download() const {
    Bytes image(bytes());
    if (!image.empty()) backend_->copy_out(image.data(), memory_.data(), image.size());
    return image;
  }

 private:
  size_t bytes() const { return static_cast<size_t>(rows_ * stride_ * byte_size(dtype_)); }

  Bytes poisoned(Bytes image) const {
    const uint32_t wide = 0x7fc0beefu;
    const uint16_t narrow = 0x7fd3u;
    const auto size = static_cast<size_t>(byte_size(dtype_));
    for (size_t at = 0; at + size <= image.size(); at += size) {
      std::memcpy(&image[at], dtype_ == Dtype::f32 ? static_cast<const void*>(&wide) : &narrow, size);
    }
    return image;
  }

  void upload(const Bytes& image, bool poison) {
    const Bytes content = poison ? poisoned(image) : image;
    if (!content.empty()) backend_->copy_in(memory_.data(), content.data(), content.size());
  }

  void put(Bytes& image, int64_t index, double value) const {
    const auto wide = static_cast<float>(value);
    const bfloat16 narrow = to_bfloat16(wide);
    const auto size = static_cast<size_t>(byte_size(dtype_));
    std::memcpy(&image[static_cast<size_t>(index) * size],
                dtype_ == Dtype::f32 ? static_cast<const void*>(&wide) : &narrow, size);
  }

  double get(const Bytes& image, int64_t index) const {
    const auto size = static_cast<size_t>(byte_size(dtype_));
    const std::byte* at = &image[static_cast<size_t>(index) * size];
    float wide = 0.0f;
    bfloat16 narrow;
    std::memcpy(dtype_ == Dtype::f32 ? static_cast<void*>(&wide) : &narrow, at, size);
    return double{dtype_ == Dtype::f32 ? wide : to_float(narrow)};
  }

  Backend* backend_ = nullptr;
  Dtype dtype_ = Dtype::f32;
  int64_t rows_ = 0, columns_ = 0, stride_ = 0;
  Memory memory_;
};

// Integers or other plain values; `spare` more of them than given hold poison.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(Backend& backend, const std::vector<T>& values, int64_t spare = 0)
      : backend_(&backend), size_(static_cast<int64_t>(values.size()) + spare) {
    std::vector<T> content = values;
    T poison;
    std::memset(static_cast<void*>(&poison), 0x7f, sizeof(T));
    content.resize(static_cast<size_t>(size_), poison);
    memory_ = backend.allocate(content.size() * sizeof(T));
    if (!content.empty()) backend.copy_in(memory_.data(), content.data(), content.size() * sizeof(T));
  }

  T* data() const { return static_cast<T*>(memory_.data()); }
  View<T, 1> view() const { return View<T, 1>(data(), size_); }

  std::vector<T> read(int64_t count) const {
    std::vector<T> values(static_cast<size_t>(count));
    if (!values.empty()) backend_->copy_out(values.data(), memory_.data(), values.size() * sizeof(T));
    return values;
  }

 private:
  Backend* backend_ = nullptr;
  int64_t size_ = 0;
  Memory memory_;
};

}  // namespace phasor::testing_support
