#pragma once
// Assumption 3.1, x = c + p, as something that can fail: hidden states in a two-way layout of token id x place, all
// channels together (sums of squares are of vectors).
//
//   x = mean + token effect + place effect + interaction + context
//
// Only rows of cells (token at a place) that occur at least twice are used: in a cell that occurs once nothing tells
// interaction from context. On them, with sums of squares in this order
//
//   token        between the tokens' means
//   position     of the least-squares fit token + place, beyond that of token alone
//   interaction  of the cells' means, beyond token + place
//   within       of rows about their cell's mean: what other tokens of the sequence did
//
// each of the first three is lessened by (its degrees of freedom) * (mean square within), which is what noise alone
// gives it, and context gets what was taken away: the four shares add up to 1, and each of the first three has
// expectation 0 (and can be below it) where there is no such effect and the context is of one variance everywhere.
// `interaction_deviation` is the standard deviation of the interaction's share in that case, for normal context and
// rows that are independent; rows of one sequence are so only roughly. A share of twice that is no chance.
#include <cstdint>
#include <vector>

#include "phasor/linalg/dense.h"
#include "phasor/model/transformer.h"

namespace phasor {

struct AdditiveStates {
  double token = 0.0, position = 0.0, interaction = 0.0, context = 0.0;
  double interaction_deviation = 0.0;
  double total = 0.0;  // sum of squares about the mean, of the rows used

  int64_t rows = 0;       // given
  int64_t used_rows = 0;  // in cells that occur at least twice
  int64_t tokens = 0, positions = 0, cells = 0;
  int64_t position_freedom = 0, interaction_freedom = 0, within_freedom = 0;
  // false where fewer than two cells occur twice, or where all rows used are equal to rounding.
  bool defined = false;
};

// states [rows, width] with a token id and a place for each row.
AdditiveStates additive_states(DenseView states, const std::vector<int32_t>& tokens,
                               const std::vector<int32_t>& positions);

// The stream that enters a layer, and what the layer's attention reads of it. The last one is what leaves the last
// layer; its normed part is what the readout reads, and is not defined without a final norm.
struct StreamStates {
  int64_t layer = 0;
  AdditiveStates stream, normed;
};

// layers + 1 of them, after a forward pass over the batch.
std::vector<StreamStates> stream_states(Transformer& model, const Batch& batch);

}  // namespace phasor
