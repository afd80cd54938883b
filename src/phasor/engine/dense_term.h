#pragma once
// Terms of attention that are no product of what a query and a key are on their own: they need the whole row of logits
// in front of a query, or every token between query and key. No tiled kernel has that. With one of them, attention is
// computed in double with all logits of a head at hand, for sequences of at most kMostDenseTokens tokens.
//
// One of the three records is filled, and has `sets` sets of numbers; a head reads one of them. No channels are shared
// between heads then, and queries and keys are no features.
#include <cstdint>

#include "phasor/base/dense_limit.h"
#include "phasor/tensor/matrix.h"
#include "phasor/tensor/view.h"

namespace phasor {

// For causal attention. With z_ij the scaled product of query i and key j, without what is added to it:
//   p_ij = min(most, sum of sigmoid(z_it) over t = j .. i),   L_ij += <q_i, e(p_ij)>,
// q the query before it is turned, and e(p) between the vectors of the whole numbers around p, in proportion.
struct GatedPositions {
  View<const float, 2> vectors;  // [sets * (most + 1), key_width]
  int32_t most = 0;              // at least 1
};

// For causal attention. <A q_i, B k_j> becomes <H_(j+1) ... H_i A q_i, B k_j>,
//   H_t = I - 2 sigmoid(y_t) w_t w_t^T,  w_t = x_t / sqrt(|x_t|^2 + kDirectionFloor).
struct Reflections {
  View<const float, 2> directions;  // x, [tokens, sets * key_width]
  View<const float, 2> strengths;   // y, [tokens, sets]
};
inline constexpr double kDirectionFloor = 1e-6;

// Keys whose position is `window` or more from the query's see it turned otherwise, and are so themselves: by these
// factors in place of those of the rotation, of pairs that lie as the rotation's do. One set.
struct FarRotation {
  View<const float, 3> query_back;   // [positions, pairs, 2]: towards keys at smaller positions
  View<const float, 3> query_ahead;  // towards keys at larger ones
  View<const float, 3> key;
  int32_t window = 0;  // at least 1
  int32_t axis = 0;    // of the positions
  int32_t first = 0;   // as RotationTable
  bool halves = false;
};

struct DenseTerm {
  View<const int32_t, 1> head_set;  // [heads]: the set that a head reads, -1: the term is not the head's. Empty: none
  GatedPositions positions;
  Reflections reflections;
  FarRotation far;

  bool any() const { return !head_set.empty(); }
};

// By what the term has; the others are empty.
struct DenseTermGradients {
  View<float, 2> vectors;        // += as GatedPositions::vectors
  Matrix directions, strengths;  // as those of Reflections
};

}  // namespace phasor
