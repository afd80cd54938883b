#pragma once
// What a forward pass leaves behind for the backward pass and for analysis, carved from one arena.
#include <vector>

#include "phasor/engine/arena.h"
#include "phasor/model/config.h"
#include "phasor/model/device_batch.h"

namespace phasor {

// What a norm keeps: its output and its statistics.
struct NormActivations {
  Matrix y;             // [tokens, width]
  View<float, 1> mean;  // [tokens]
  View<float, 1> rstd;  // [tokens]
};

// Latents of a decoupled path.
struct LatentActivations {
  View<float, 2> raw;  // [tokens, latents]: query latent, key latent, rotary key
  Matrix query, key;   // what is multiplied on: the latents normed, or as they are
  View<float, 1> query_rstd, key_rstd;
};

// On the way from the stream to the factors that tokens turn by.
struct TokenTurnActivations {
  Matrix halves;           // [tokens, 2 inner], of a product
  Matrix inner;            // [tokens, inner]; empty: angles come from the stream itself
  View<float, 2> z;        // [tokens, numbers]
  View<float, 2> gate;     // [tokens, heads that are turned] or empty
  View<float, 4> factors;  // [tokens, heads that are turned, pairs, 2]
};

// On the way from the stream to the directions and strengths that tokens reflect by.
struct ReflectionActivations {
  Matrix inner;               // [tokens, inner]; empty: directions come from the stream itself
  View<float, 2> directions;  // [tokens, heads that have them * head width]
  View<float, 2> strengths;   // [tokens, heads that have them]
};

struct LayerActivations {
  NormActivations attention_norm;
  LatentActivations latents;  // of a decoupled path
  Matrix projections;         // [tokens, AttentionLayout::columns()]: queries, keys, values
  View<float, 2> gates;       // [tokens, gates of all terms side by side] before the map; empty: the layer has none
  View<double, 2> prefix;     // [tokens, heads]: their sums along the sequence, 0 for heads without a gate
  TokenTurnActivations turn;  // empty: tokens turn nothing here
  ReflectionActivations reflections;  // empty: tokens reflect nothing here
  Matrix mixed;                       // [tokens, heads * head_width]: what attention gives, heads side by side
  View<float, 2> log_sum;             // [tokens, heads]
  NormActivations ffn_norm;
  Matrix hidden;         // [tokens, hidden]
  Matrix preactivation;  // [tokens, hidden], gelu only
};

struct Activations {
  // The residual stream after the embedding and after every branch: 2 layers + 1 of [tokens, width].
  std::vector<View<float, 2>> stream;
  std::vector<LayerActivations> layers;
  NormActivations final_norm;   // y is empty without a final norm
  Matrix embedded;              // [tokens, width]: stream[0] in the precision of products, for KvSource::input
  Matrix branch;                // [tokens, width]: a branch's output on its way to the stream
  View<float, 2> features;      // [sequences, width], pooled or picked; empty where every token is read
  View<float, 1> loss;          // per target
  View<int32_t, 1> prediction;  // per target

  Activations(Arena& arena, const ModelConfig& config, const ResolvedEncoding& encoding, const Capacity& capacity,
              Dtype dtype);
};

// Gradients on their way down; each is reused by every layer.
struct GradientFlow {
  View<float, 2> stream;  // [tokens, width]
  Matrix normed;          // [tokens, width]
  Matrix branch;          // [tokens, width]
  Matrix hidden;          // [tokens, hidden]
  Matrix projections;     // [tokens, columns of the widest layer]
  Matrix mixed;
  // Of decoupled paths, as wide as the widest.
  View<float, 2> latents;
  Matrix low_latents;  // the same in the precision of products, where that is not fp32
  Matrix query_latent, key_latent;
  Matrix gates;            // [tokens, gates of the layer that has most]; empty: no layer has any
  View<double, 2> prefix;  // [tokens, heads], likewise
  // Of layers that tokens turn, as wide as the widest; empty: there is none.
  Matrix turn_halves, turn_inner, turn_z, turn_gate;
  View<float, 1> dangle;                           // [tokens * heads * pairs]
  Matrix reflection_inner, directions, strengths;  // of layers that tokens reflect in, likewise
  View<float, 2> embedded;                         // [tokens, width], for KvSource::input
  View<float, 2> features;                         // [sequences, width]

  GradientFlow(Arena& arena, const ModelConfig& config, const ResolvedEncoding& encoding, const Capacity& capacity,
               Dtype dtype);
};

}  // namespace phasor
