#pragma once
// From tokens to one row per sequence: the mean of its tokens, or one of them.
#include "reference/grid.h"
#include "reference/scalar.h"

namespace phasor::reference {

// offsets: [sequences + 1]; sequence s owns rows offsets[s] .. offsets[s + 1] - 1.
template <class S>
Grid<S> mean_pool(const Grid<S>& x, const std::vector<int32_t>& offsets) {
  const auto sequences = static_cast<int64_t>(offsets.size()) - 1;
  Grid<S> pooled(sequences, x.columns);
  for (int64_t s = 0; s < sequences; ++s) {
    const int64_t begin = offsets[static_cast<size_t>(s)];
    const int64_t end = offsets[static_cast<size_t>(s) + 1];
    for (int64_t c = 0; c < x.columns; ++c) {
      Sum<S> sum;
      for (int64_t t = begin; t < end; ++t) sum.add(x(t, c));
      pooled(s, c) = sum.total() * computed<S>(1.0 / static_cast<double>(end - begin));
    }
  }
  return pooled;
}

template <class S>
Grid<S> mean_pool_backward(const Grid<S>& dpooled, const std::vector<int32_t>& offsets) {
  Grid<S> dx(offsets.back(), dpooled.columns);
  for (int64_t s = 0; s < dpooled.rows; ++s) {
    const int64_t begin = offsets[static_cast<size_t>(s)];
    const int64_t end = offsets[static_cast<size_t>(s) + 1];
    for (int64_t t = begin; t < end; ++t) {
      for (int64_t c = 0; c < dx.columns; ++c) {
        dx(t, c) = dpooled(s, c) * computed<S>(1.0 / static_cast<double>(end - begin));
      }
    }
  }
  return dx;
}

// The token that sequence s is read at; a negative place counts from the end.
inline int64_t picked_token(const std::vector<int32_t>& offsets, const std::vector<int32_t>& place, int64_t s) {
  const int64_t at = place[static_cast<size_t>(s)];
  return at >= 0 ? offsets[static_cast<size_t>(s)] + at : offsets[static_cast<size_t>(s) + 1] + at;
}

}  // namespace phasor::reference
