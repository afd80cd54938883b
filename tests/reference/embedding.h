#pragma once
// y[t] = table[ids[t]] + input[input_rows[t]]; where the table has fewer channels than y, the rest of its rows is 0.
#include "reference/grid.h"
#include "reference/scalar.h"

namespace phasor::reference {

// input: empty for none.
template <class S>
Grid<S> embedding(int64_t width, const std::vector<int32_t>& ids, const Grid<S>& table,
                  const std::vector<int32_t>& input_rows, const Grid<S>& input) {
  const auto tokens = static_cast<int64_t>(ids.size());
  Grid<S> y(tokens, width);
  for (int64_t t = 0; t < tokens; ++t) {
    const auto at = static_cast<size_t>(t);
    for (int64_t c = 0; c < width; ++c) {
      if (c < table.columns) y(t, c) = table(ids[at], c);
      if (!input.empty()) y(t, c) += input(input_rows[at], c);
    }
  }
  return y;
}

// table + what each row of it receives: row index[t] gets dy[t], as far as it has channels.
template <class S>
Grid<S> scatter_rows(const Grid<S>& table, const std::vector<int32_t>& index, const Grid<S>& dy) {
  std::vector<Sum<S>> sums(table.data.size());
  for (size_t i = 0; i < sums.size(); ++i) sums[i].add(table.data[i]);
  for (int64_t t = 0; t < dy.rows; ++t) {
    const int64_t row = index[static_cast<size_t>(t)];
    for (int64_t c = 0; c < table.columns; ++c) sums[static_cast<size_t>(row * table.columns + c)].add(dy(t, c));
  }
  Grid<S> result = table;
  for (size_t i = 0; i < sums.size(); ++i) result.data[i] = sums[i].total();
  return result;
}

}  // namespace phasor::reference
