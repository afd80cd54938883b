#pragma once
// A matrix of doubles on the host.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace phasor {

struct Table {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<double> values;

  Table() = default;
  Table(int64_t row_count, int64_t column_count)
      : rows(row_count), columns(column_count), values(static_cast<size_t>(row_count * column_count)) {}
  double& operator()(int64_t r, int64_t c) { return values[static_cast<size_t>(r * columns + c)]; }
  double operator()(int64_t r, int64_t c) const { return values[static_cast<size_t>(r * columns + c)]; }
  bool empty() const { return values.empty(); }

  bool operator==(const Table&) const = default;
};

}  // namespace phasor
