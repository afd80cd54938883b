#pragma once
// Does position couple to content, or is it only added? Content pairs m (the content of a query and that of a key) are
// put at the query place i and at every key place j, with the position that belongs there:
//
//   L_mj = logit of (q^c_m + q^p_i) at i with (k^c_m + k^p_j) at j
//
// and the table is taken apart as in a two-way analysis of variance, content x offset: share = SS_interaction /
// SS_total about the grand mean. A bias that is added is an effect of the offset alone and gives 0; a rotation
// multiplies and gives more, and so do products with distance rows; positions inside queries and keys do so through
// G_cp and G_pc.
//
// With the estimator `halves` the table is made twice, with either half's positions, and sums of squares are products
// between the two: the noise of estimated positions then adds nothing on average. Such a share can fall below 0 by
// chance.
#include <cstdint>
#include <vector>

#include "phasor/random/stream.h"
#include "phasor/spectrum/position_means.h"

namespace phasor {

struct Interaction {
  double share = 0.0;    // of the interaction
  double content = 0.0;  // of the effect of content alone
  double offset = 0.0;   // of the effect of the offset alone; the three add up to 1
  double total = 0.0;    // sum of squares about the grand mean
  bool defined = false;  // false for a constant table, to rounding
};

// Of a table [draws, offsets] with one number in a cell.
Interaction interaction(DenseView table);
// The same with every square a product of two tables.
Interaction interaction(DenseView first, DenseView second);

struct InteractionSetting {
  int64_t sequence = 0;  // whose positions are taken
  int64_t offsets = 0;   // key places 0 .. offsets - 1
  int64_t anchor = 0;    // the query's place; of causal layers it must see all of them
  int64_t draws = 64;    // content pairs, tokens drawn at random from the batch
  RandomStream stream;
};

// The longest sequence, the places that are well known, and the anchor in their middle; causal: at their end.
InteractionSetting usual_interaction(const LayerLogits& layer, const PositionMeans& means);

// One per head; that of a head whose logits are not finite is not defined, and its share is no number.
std::vector<Interaction> layer_interaction(const LayerLogits& layer, const PositionMeans& means,
                                           const InteractionSetting& setting);

}  // namespace phasor
