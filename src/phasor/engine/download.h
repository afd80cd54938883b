#pragma once
// Copies from a device to the host.
#include <cstdint>
#include <vector>

#include "phasor/engine/backend.h"

namespace phasor {

// The first rows of a matrix of any dtype, as floats without gaps; none of an empty matrix.
std::vector<float> download(Backend& backend, const ConstMatrix& matrix, int64_t rows);

// The columns of several matrices side by side; empty ones are passed over.
std::vector<float> download_side_by_side(Backend& backend, const std::vector<ConstMatrix>& matrices, int64_t rows);

template <class T>
std::vector<T> download(Backend& backend, const T* from, int64_t count) {
  std::vector<T> values(static_cast<size_t>(count));
  backend.copy_out(values.data(), from, values.size() * sizeof(T));
  return values;
}

}  // namespace phasor
