#pragma once
// A row-major table of scalars, the only container the reference formulas use. Empty means absent.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace phasor::reference {

template <class S>
struct Grid {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<S> data;

  Grid() = default;
  Grid(int64_t row_count, int64_t column_count, const S& fill = S(0.0))
      : rows(row_count), columns(column_count), data(static_cast<size_t>(row_count * column_count), fill) {}

  bool empty() const { return data.empty(); }
  S& operator()(int64_t r, int64_t c) { return data[static_cast<size_t>(r * columns + c)]; }
  const S& operator()(int64_t r, int64_t c) const { return data[static_cast<size_t>(r * columns + c)]; }
};

// The same numbers as another scalar, taken as exact.
template <class S>
Grid<S> lift(const Grid<double>& grid) {
  Grid<S> lifted;
  lifted.rows = grid.rows;
  lifted.columns = grid.columns;
  lifted.data.assign(grid.data.begin(), grid.data.end());
  return lifted;
}

// sum of a * b over all elements: a loss whose gradient by b is a.
template <class S>
S dot(const Grid<double>& a, const Grid<S>& b) {
  S sum = S(0.0);
  for (size_t i = 0; i < a.data.size(); ++i) sum += a.data[i] * b.data[i];
  return sum;
}

// a + b, element by element.
template <class S>
Grid<S> added(Grid<S> a, const Grid<S>& b) {
  for (size_t i = 0; i < a.data.size(); ++i) a.data[i] += b.data[i];
  return a;
}

}  // namespace phasor::reference
