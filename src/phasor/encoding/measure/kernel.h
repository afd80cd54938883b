#pragma once
// What positions alone do to a logit, over the distance d = p_j - p_i from query to key:
//
//   input term   <P(p_i), P(p_j)> / width: the logit of equal contents through equal weights, per channel
//   rotation     (1/pairs) sum_c Re(A_c(p_i) conj B_c(p_j)): the factor on equal shares of content in all pairs
//   bias         b_h(p_i, p_j)
#include <cstdint>
#include <vector>

#include "phasor/encoding/measure/position_codes.h"

namespace phasor {

struct Kernel {
  CodeSite site;
  PositionAxis axis;
  int64_t first = 0;           // the distance that values[0] belongs to
  std::vector<double> values;  // distances one by one; keys ahead of the query only where there is no causal mask
  // Keys behind the query are seen from the last position of the axis, keys ahead of it from the first one; where
  // there are other axes, from their first positions. From elsewhere a key at the same distance looks different, by
  // at most this; of rotations, the factor of any one pair does, since content may weigh them as it likes.
  double deviation = 0.0;

  int64_t last() const { return first + static_cast<int64_t>(values.size()) - 1; }
  double largest() const;  // absolute value
  // Up to rounding, the same from every position.
  bool toeplitz() const;
};

// One, or one along each coordinate. The sequence is as long as there are positions. `encoding` has its values
// (values.h).
std::vector<Kernel> kernels_at(const ResolvedEncoding& encoding, const CodeSite& site);
// Of all places that this layer and head have.
std::vector<Kernel> kernels(const ResolvedEncoding& encoding, int64_t layer, int64_t head);

}  // namespace phasor
