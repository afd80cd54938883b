#pragma once
// How large the loss's gradient is by the weights of each head and of each layer.
#include <cstdint>
#include <vector>

#include "phasor/model/transformer.h"

namespace phasor {

struct HeadGradients {
  // [layers][heads]: the norm over the head's rows of W_Q, W_K, W_V and its columns of W_O, without biases. Of a
  // decoupled path: its rows of query_up, key_up and value_up. What several heads share (keys and values of grouped
  // heads, latents, shared rotary channels) belongs to none of them and counts for the layer alone.
  std::vector<std::vector<double>> heads;
  std::vector<double> layers;  // [layers]: over all that is named layers.l: norms, attention, feed-forward, encoding
  double model = 0.0;          // over all parameters
};

// Of model.gradients().
HeadGradients head_gradients(const Transformer& model);

}  // namespace phasor
