#pragma once
// The columns of each row that an op fills.
#include <array>
#include <cstdint>
#include <vector>

namespace phasor::reference {

// The first column and the one after the last, for each row; empty: all columns.
using RowColumns = std::vector<std::array<int32_t, 2>>;

inline bool within(const RowColumns& limits, int64_t row, int64_t column) {
  if (limits.empty()) return true;
  const auto& limit = limits[static_cast<size_t>(row)];
  return column >= limit[0] && column < limit[1];
}

}  // namespace phasor::reference
