#pragma once
// The prefix of one head over a sequence: what it takes from scores, and the gradient by it.
#include <cstdint>

#include "phasor/engine/cpu/attention_head.h"
#include "phasor/engine/ops.h"

namespace phasor {

class PrefixRow {
 public:
  // `memory` holds place.length doubles, which are read as long as this lives.
  PrefixRow(const Attention& attention, const HeadPlace& place, double* memory);
  // scores[j] -= |c_query - c_j| for these keys. Differences are taken in double.
  void subtract(float* scores, int64_t query, const KeySpan& keys) const;

 private:
  const double* sums_ = nullptr;  // null: nothing to subtract
};

// gradient[query] and gradient[j] += what the gradients by one query's logits come to: c_query - c_j is in those of
// keys in front of the query, c_j - c_query in those behind it.
// The query is not in front of the keys.
void add_by_prefix(double* gradient, const float* dscores, int64_t query, const KeySpan& keys);

}  // namespace phasor
