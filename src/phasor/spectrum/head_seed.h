#pragma once
// The "seed" of a head: how strongly the loss asks it to tell distances apart.
//
// By a bias over distance that is zero, t_h[d] = dLoss/db_h(d) (model/distance_probe.h), the seed is |t_h|. Softmax
// ignores a bias that is the same for all distances; rows of dLoss/dlogits sum to zero, so t_h has no part in that
// direction and nothing has to be removed. Every encoding has this seed, also one without positions: it says what a
// head could gain, not what its encoding can give.
//
// Through the phases it is the norm of dLoss/dangle over places and pairs of channels: what reaches the positions by
// the way that the encoding offers, which is what Proposition 6.1 is about. Only heads that turn their queries have it.
#include <cstdint>
#include <optional>
#include <vector>

#include "phasor/spectrum/head_gradient.h"

namespace phasor {

struct HeadSeed {
  std::vector<double> by_distance;   // t_h[d] at d + reach
  double seed = 0.0;                 // its Euclidean norm
  std::optional<double> phase_seed;  // through the phases; none where nothing turns
};

struct LayerSeeds {
  std::vector<HeadSeed> heads;
  int64_t reach = 0;
  int64_t first = 0;            // head with the largest seed, the lower one of equals
  double margin = 0.0;          // largest seed - second largest; 0 where there is one head
  std::optional<double> gamma;  // margin / the next layer's; none for the last layer and where that is 0
};

struct ModelSeeds {
  double loss = 0.0;  // mean over scored targets, without dropout
  std::vector<LayerSeeds> layers;
  HeadGradients gradients;
};

// The model must have been made for training; its gradients() are those of this batch afterwards.
ModelSeeds measure_seeds(Transformer& model, const Batch& batch);

// Fills in first, margin and gamma from the seeds.
void compare_heads(std::vector<LayerSeeds>& layers);

}  // namespace phasor
