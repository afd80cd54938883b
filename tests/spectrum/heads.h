#pragma once
// Heads for the tests of reports: queries and keys turned in neighbouring pairs.
#include "linalg/matrices.h"
#include "phasor/spectrum/head_logits.h"

namespace phasor::testing_support {

inline std::vector<std::pair<int64_t, int64_t>> neighbours(size_t pairs) {
  std::vector<std::pair<int64_t, int64_t>> result;
  for (size_t m = 0; m < pairs; ++m) result.emplace_back(2 * m, 2 * m + 1);
  return result;
}

inline HeadLogits turned_head(const Dense& q, const Dense& k, const std::vector<double>& turns) {
  HeadLogits head;
  head.plain_query = q;
  head.plain_key = k;
  head.query = rotated(q, turns);
  head.key = rotated(k, turns);
  head.rotary_pairs = neighbours(turns.size());
  head.scale = 0.5;
  return head;
}

// Channels (x, 0) of every pair: the content Gram is real.
inline Dense real_pairs(int64_t rows, int64_t pairs, uint32_t site) {
  const Dense x = random_matrix(rows, pairs, site);
  return made(rows, 2 * pairs, [&](int64_t r, int64_t c) { return c % 2 == 0 ? x(r, c / 2) : 0.0; });
}

// Multiples of one row.
inline Dense one_direction(int64_t rows, int64_t columns, uint32_t site) {
  return product(random_matrix(rows, 1, site), random_matrix(1, columns, site + 1));
}

}  // namespace phasor::testing_support
