#pragma once
// The loss's gradient by a bias over distance that is zero: how much a head would gain from telling distances apart.
// A probe of head h is t_h[d] = sum of dLoss/dL_ij over all queries i and keys j of the batch with p_j - p_i = d.
//
// And the gradient by the angles that queries are turned by, where the encoding turns them: of pair m = (x, y) of head
// h at place i it is the sum over the batch of dLoss/dx * (-y) + dLoss/dy * x.
#include <memory>
#include <vector>

#include "phasor/engine/backend.h"

namespace phasor {

class Transformer;

// Positions p are those that the layer's own bias reads; where it has none, the tokens' indices, or the encoding's
// first axis where nothing in it reads indices. Of a bias that depends on length or on the query's position too, the
// gradients are summed over these.
class DistanceProbe {
 public:
  // The model must outlive this.
  explicit DistanceProbe(Transformer& model);

  int64_t reach(int64_t layer) const;  // largest |d|
  // After Transformer::loss_gradient(): t_h[d] at d + reach.
  std::vector<double> gradient(int64_t layer, int64_t head) const;
  // [places, pairs]: by the angles of the head's queries. Empty where nothing turns them, where the channels that turn
  // are shared by all heads, and where they are features of the queries.
  std::vector<double> phase_gradient(int64_t layer, int64_t head) const;

  // For the backward pass.
  void clear();
  void attach(int64_t layer, AttentionBackward& op) const;
  // After `op` has run.
  void collect(int64_t layer, const AttentionBackward& op);
  View<const float, 2> table(int64_t layer) const { return layers_[static_cast<size_t>(layer)].table; }

 private:
  struct Layer {
    Memory memory;
    DistanceBias bias;  // the layer's own, or one without a table
    View<float, 2> table;
    std::vector<std::vector<double>> phases;  // [heads], each [places, pairs] or empty
  };

  Backend& backend_;
  int64_t heads_ = 1;
  std::vector<Layer> layers_;
};

}  // namespace phasor
