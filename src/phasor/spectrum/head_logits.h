#pragma once
// One head's logits over one sequence, and what they are made of: logits = scale * query key^T + bias + rows.
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "phasor/linalg/dense.h"

namespace phasor {

struct HeadLogits {
  Dense query, key;              // [n, width], after rotation
  Dense plain_query, plain_key;  // [n, width], before it: as if every angle were zero and every factor 1
  // What the rows of query and plain_query were multiplied with already; empty: nothing. It is part of the scale, so it
  // is in the products with and without angles, and in every part of them.
  std::vector<double> row_scale;
  Dense bias;  // [n, n], 0 where a causal head does not look; empty: none
  // Some of the bias is made of tokens, not of distances alone: gates, and what attention adds that is no sum over
  // channels (dense_terms.h).
  bool gated = false;
  // [n, n], what products with distance rows add, the scale and row_scale included: it depends on content and on
  // distance. 0 where a causal head does not look; empty: none.
  Dense rows;
  double scale = 1.0;
  bool causal = false;
  // A window or chunks that attention has besides; 0: none. The logits here are those of all keys, as if it had not.
  int64_t window = 0, chunk = 0;
  double sink = -std::numeric_limits<double>::infinity();  // its logit, beside those of the keys; -infinity: none

  // Channel pairs that are turned, as (a, b) columns of query and key: a complex number a + i b each. Channels in no
  // pair carry content alone.
  std::vector<std::pair<int64_t, int64_t>> rotary_pairs;
  int64_t decoupled_from = -1;  // first channel of a decoupled path (MLA); -1: none

  int64_t size() const { return query.rows(); }
  int64_t width() const { return query.columns(); }
  Dense products() const;        // scale * query key^T
  Dense plain_products() const;  // scale * plain_query plain_key^T
  bool adds() const { return bias.rows() > 0 || rows.rows() > 0; }
  Dense added() const;   // bias + rows; empty: none
  Dense logits() const;  // products + added; entries above the diagonal of causal ones are not masked here
};

bool all_finite(DenseView a);

// scale * queries keys^T.
Dense scaled_products(DenseView queries, DenseView keys, double scale);

}  // namespace phasor
