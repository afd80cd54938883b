#pragma once
// Place "rotation", where tokens say how far it goes: every head's pairs turn by w_c u, with u a number that the layer
// makes of its normed stream x for every token, or the sum of such numbers along the sequence.
//
//   x' = x, or W' x, or silu(G x) * (C x) with G and C the halves of W'
//   u  = W x' + b, times sigmoid(V x + v) where there are gates
#include <cstdint>
#include <string>
#include <vector>

namespace phasor {

struct TokenRotation {
  std::string name;                      // of the term, for clashes and reports
  std::vector<int64_t> heads;            // that it turns
  int64_t pairs = 0;                     // from the first channel on
  bool halves = false;                   // pairs (c, pairs + c) instead of (2 c, 2 c + 1)
  std::vector<double> frequencies = {};  // [pairs], radians per unit of u
  bool per_pair = false;                 // a number for each head and pair, else one for all pairs of a head
  bool summed = false;

  // Places in ResolvedEncoding::parameters, -1 for what there is not.
  int64_t inner = 0;                         // channels of x'; 0: x' is x
  bool product = false;                      // x' is the product of two halves
  int64_t inner_weight = -1;                 // [inner, width], or [2 inner, width] of a product
  int64_t weight = -1, bias = -1;            // [numbers, inner or width], [numbers]
  int64_t gate_weight = -1, gate_bias = -1;  // [heads, width], [heads]

  int64_t numbers() const { return static_cast<int64_t>(heads.size()) * (per_pair ? pairs : 1); }
};

}  // namespace phasor
