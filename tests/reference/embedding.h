#pragma once
// y[t] = table[ids[t]] + fixed[p_t] + learned[p_t].
#include "reference/grid.h"
#include "reference/scalar.h"

namespace phasor::reference {

template <class S>
Grid<S> embedding(const std::vector<int32_t>& ids, const std::vector<int32_t>& positions, const Grid<S>& table,
                  const Grid<S>& fixed, const Grid<S>& learned) {
  const auto tokens = static_cast<int64_t>(ids.size());
  Grid<S> y(tokens, table.columns);
  for (int64_t t = 0; t < tokens; ++t) {
    const auto at = static_cast<size_t>(t);
    for (int64_t c = 0; c < table.columns; ++c) {
      S sum = table(ids[at], c);
      if (!fixed.empty()) sum += fixed(positions[at], c);
      if (!learned.empty()) sum += learned(positions[at], c);
      y(t, c) = sum;
    }
  }
  return y;
}

// table + what each row of it receives: row index[t] gets dy[t].
template <class S>
Grid<S> scatter_rows(const Grid<S>& table, const std::vector<int32_t>& index, const Grid<S>& dy) {
  std::vector<Sum<S>> sums(table.data.size());
  for (size_t i = 0; i < sums.size(); ++i) sums[i].add(table.data[i]);
  for (int64_t t = 0; t < dy.rows; ++t) {
    const int64_t row = index[static_cast<size_t>(t)];
    for (int64_t c = 0; c < dy.columns; ++c) sums[static_cast<size_t>(row * table.columns + c)].add(dy(t, c));
  }
  Grid<S> result = table;
  for (size_t i = 0; i < sums.size(); ++i) result.data[i] = sums[i].total();
  return result;
}

}  // namespace phasor::reference
