#pragma once
// The columns of a table's row that an op fills; the others are left alone. For .cu files.
#include <cstdint>

#include "phasor/tensor/view.h"

namespace phasor::cuda {

struct RowColumns {
  int64_t from, count;
};

// limits: [rows, 2], the first column and the one after the last; empty: all columns.
__device__ inline RowColumns row_columns(const View<const int32_t, 2>& limits, int64_t row, int64_t columns) {
  if (limits.empty()) return {0, columns};
  return {limits(row, 0), limits(row, 1) - limits(row, 0)};
}

}  // namespace phasor::cuda
