#pragma once
// The engine's instruction set. An op is a record of views; a Backend runs it. Ops have the grain of
// what should be fused, because a backend cannot fuse across run().
//
// `dx` is the gradient of the loss by `x`; outputs that are added to say `+=`. Every other output is
// overwritten. An empty view means "absent" where the comment allows it. Pointers and views are
// device memory of the backend that runs the op.
#include <cstdint>

#include "phasor/random/stream.h"
#include "phasor/tensor/matrix.h"
#include "phasor/tensor/view.h"

namespace phasor {

// Extents are capacities. How many rows a batch really has is data, so that a step can be captured
// once and replayed on batches of other sizes.
struct Rows {
  const int32_t* used = nullptr;  // null: all rows of the extent
};

// A ragged batch: sequence s owns the tokens offsets[s] .. offsets[s + 1] - 1 of the flat token array.
struct Sequences {
  View<const int32_t, 1> offsets;    // [sequence capacity + 1]
  View<const int32_t, 2> positions;  // [token capacity, axes]
  const int32_t* count = nullptr;    // sequences in this batch
  const int32_t* tokens = nullptr;   // tokens in this batch, = offsets[*count]
};

// Keeps each element with probability 1 - rate and scales it by 1 / (1 - rate). The mask is a function
// of (stream, *step, index) alone, never of tiles or threads.
struct Dropout {
  float rate = 0.0f;
  RandomStream stream;
  const uint32_t* step = nullptr;  // replaces stream.step
};

// --- Embedding -----------------------------------------------------------------------------------

// y[t] = table[ids[t]] + fixed[p] + learned[p], p = the token's position on the first axis.
struct EmbeddingForward {
  View<float, 2> y;              // [tokens, width]
  View<const int32_t, 1> ids;    // [tokens]
  View<const float, 2> table;    // [vocabulary, width]
  View<const float, 2> fixed;    // [positions, width] or empty
  View<const float, 2> learned;  // [positions, width] or empty
  Sequences sequences;
};

struct EmbeddingBackward {
  View<float, 2> dtable;    // +=
  View<float, 2> dlearned;  // += or empty
  View<const float, 2> dy;
  View<const int32_t, 1> ids;
  Sequences sequences;
};

// --- Residual stream and norms -------------------------------------------------------------------

enum class NormKind : uint8_t { layer, rms };

// sum = residual + dropout(branch);  y = norm(sum) * weight + bias.
// Without a branch, sum is not written and the norm reads residual.
struct ResidualNormForward {
  View<float, 2> sum;             // [rows, width]
  Matrix y;                       // [rows, width]; empty: no norm, only the sum
  View<float, 1> mean;            // [rows], layer norm only
  View<float, 1> rstd;            // [rows]
  View<const float, 2> residual;  // [rows, width]
  ConstMatrix branch;             // [rows, width] or empty
  View<const float, 1> weight;    // [width]
  View<const float, 1> bias;      // [width], layer norm only
  NormKind kind = NormKind::layer;
  float epsilon = 1e-5f;
  Dropout dropout;  // element (r, c) has index r * width + c
  Rows rows;
};

// dsum arrives holding the gradient that reaches `sum` by other ways and leaves holding the whole
// gradient, which is also the gradient by `residual`; dbranch = dropout(dsum).
struct ResidualNormBackward {
  View<float, 2> dsum;       // in and out
  bool first = false;        // no other way: dsum arrives undefined and counts as 0
  Matrix dbranch;            // empty where the forward op had no branch
  View<float, 1> dweight;    // +=
  View<float, 1> dbias;      // +=, layer norm only
  ConstMatrix dy;            // empty: no norm
  View<const float, 2> sum;  // what the norm read
  View<const float, 1> mean;
  View<const float, 1> rstd;
  View<const float, 1> weight;
  NormKind kind = NormKind::layer;
  Dropout dropout;
  Rows rows;
};

// --- Linear --------------------------------------------------------------------------------------

enum class Activation : uint8_t { none, relu, gelu };  // gelu is the exact one, x Phi(x)

// y = activation(x weight^T + bias). x, weight share a dtype.
struct LinearForward {
  Matrix y;                   // [rows, out]
  Matrix preactivation;       // [rows, out], gelu only (its backward pass needs it)
  ConstMatrix x;              // [rows, in]
  ConstMatrix weight;         // [out, in]
  View<const float, 1> bias;  // [out] or empty
  Activation activation = Activation::none;
  Rows rows;
};

struct LinearBackward {
  Matrix dx;                   // [rows, in] or empty
  bool accumulate_dx = false;  // dx += instead of =, fp32 dx only
  View<float, 2> dweight;      // += [out, in]
  View<float, 1> dbias;        // += [out] or empty
  Matrix dy;                   // [rows, out]; overwritten by the gradient before the activation
  ConstMatrix x;
  ConstMatrix weight;
  ConstMatrix y;              // relu only
  ConstMatrix preactivation;  // gelu only
  Activation activation = Activation::none;
  Rows rows;
};

// --- Attention -----------------------------------------------------------------------------------

// Complex factors per position and channel pair: a pair (a, b) read as a + i b is multiplied by
// factor[0] + i factor[1]. Rotations have modulus 1, decays do not. Query and key tables may differ.
// Pairs are channels (first + 2 c, first + 2 c + 1), or (first + c, first + pairs + c) when `halves`.
struct RotationTable {
  View<const float, 4> query;        // [tables * sets, positions, pairs, 2]; empty: no rotation
  View<const float, 4> key;          // as query
  View<const int32_t, 1> head_set;   // [heads]: which set turns the head, -1 for none
  View<const int32_t, 1> pair_axis;  // [pairs]: which position axis turns the pair; empty: axis 0
  int32_t sets = 1;                  // sets per table
  int32_t first = 0;                 // first rotated channel
  bool halves = false;
};

// One number per head and distance, added to the logit outside the scale: table[h][reach + p_j - p_i].
struct DistanceBias {
  View<const float, 2> table;  // [tables * heads, 2 * reach + 1]; empty: none
  int32_t reach = 0;           // largest |p_j - p_i|
};

struct AttentionShape {
  int32_t heads = 1;
  int32_t key_heads = 1;         // divides heads; query head h reads key head h * key_heads / heads
  int32_t key_width = 0;         // channels of a head's query and key, the shared part included
  int32_t shared_key_width = 0;  // trailing key channels held once for all heads
  int32_t value_width = 0;
};

// L_ij = scale * head_scale[h] * <A q_i, B k_j> + b_h(p_j - p_i);  o_i = sum_j dropout(softmax(L))_ij v_j.
struct Attention {
  ConstMatrix query;       // [tokens, heads * key_width]
  ConstMatrix key;         // [tokens, key_heads * (key_width - shared_key_width)]
  ConstMatrix shared_key;  // [tokens, shared_key_width] or empty
  ConstMatrix value;       // [tokens, key_heads * value_width]
  AttentionShape shape;
  Sequences sequences;
  float scale = 1.0f;
  View<const float, 1> head_scale;  // [heads] or empty
  bool causal = false;
  RotationTable rotation;
  DistanceBias bias;
  View<const int32_t, 1> sequence_table;  // [sequences]: which table a sequence reads; empty: table 0
  // The weight from query i to key j of sequence s and head h has index s * 2^40 + i * 2^20 + j and
  // site stream.site + h.
  Dropout dropout;
};

struct AttentionForward {
  Matrix out;              // [tokens, heads * value_width]
  View<float, 2> log_sum;  // [tokens, heads]: log sum_j exp(L_ij)
  Attention attention;
};

// dbias is filled whether or not there is a bias: with a zero (absent) one it is the probe of the
// loss's gradient by logits, projected on distance.
struct AttentionBackward {
  Matrix dquery, dkey, dshared_key, dvalue;  // dshared_key empty where shared_key is
  View<float, 2> dbias;                      // += [tables * heads, 2 * bias.reach + 1] or empty
  ConstMatrix out, dout;
  View<const float, 2> log_sum;
  Attention attention;
};

// One sequence with everything materialised: the oracle, the exporter, and the home of encodings
// that no tiled kernel can serve. Every output may be empty.
struct AttentionDenseForward {
  int32_t sequence = 0;
  View<float, 3> logits;        // [heads, n, n]; masked entries are -infinity
  View<float, 3> weights;       // [heads, n, n], after softmax, before dropout
  View<float, 3> turned_query;  // [heads, n, key_width], after rotation
  View<float, 3> turned_key;    // [heads, n, key_width]
  View<float, 3> out;           // [heads, n, value_width]
  Attention attention;
};

struct AttentionDenseBackward {
  int32_t sequence = 0;
  View<float, 3> dlogits;  // [heads, n, n]; masked entries are 0
  ConstMatrix dout;        // [tokens, heads * value_width]
  Attention attention;
};

// --- Readouts ------------------------------------------------------------------------------------

// pooled[s] = mean of x over the tokens of sequence s.
struct MeanPoolForward {
  View<float, 2> pooled;  // [sequences, width]
  ConstMatrix x;          // [tokens, width]
  Sequences sequences;
};

struct MeanPoolBackward {
  Matrix dx;
  View<const float, 2> dpooled;
  Sequences sequences;
};

// picked[s] = x[offsets[s] + place[s]], place counted from the end where negative.
struct PickTokenForward {
  View<float, 2> picked;         // [sequences, width]
  ConstMatrix x;                 // [tokens, width]
  View<const int32_t, 1> place;  // [sequences]
  Sequences sequences;
};

struct PickTokenBackward {
  Matrix dx;  // every other token gets 0
  View<const float, 2> dpicked;
  View<const int32_t, 1> place;
  Sequences sequences;
};

// loss[r] = -log softmax(x weight^T + bias)[target]; the total loss is sum_r target_weight[r] loss[r].
// Logits live only in tiles. With a dx the gradients of the total loss are made in the same pass.
struct LinearCrossEntropy {
  View<float, 1> loss;                 // [rows]
  View<int32_t, 1> prediction;         // [rows], the class of the largest logit (first one on ties)
  Matrix dx;                           // [rows, width]; empty: evaluation only
  View<float, 2> dweight;              // += [classes, width]
  View<float, 1> dbias;                // += [classes]
  ConstMatrix x;                       // [rows, width]
  ConstMatrix weight;                  // [classes, width]
  View<const float, 1> bias;           // [classes] or empty
  View<const int32_t, 1> targets;      // [rows]; rows of weight 0 may hold anything
  View<const float, 1> target_weight;  // [rows]
  Rows rows;
};

// --- Parameters ----------------------------------------------------------------------------------

struct Fill {
  View<float, 1> x;
  float value = 0.0f;
};

struct Cast {
  Matrix to;
  ConstMatrix from;
};

// norm[0] = sqrt(sum of squares), summed in a fixed order in double.
struct GradientNorm {
  View<float, 1> norm;
  View<const float, 1> gradient;
};

// Decoupled weight decay (Loshchilov and Hutter, 2019), bias-corrected moments. The gradient is
// first scaled by min(1, max_norm / norm) where max_norm > 0.
struct AdamW {
  View<float, 1> parameter, first_moment, second_moment;
  View<const float, 1> gradient;
  View<const float, 1> gradient_norm;  // [1], read when max_norm > 0
  const float* learning_rate = nullptr;
  const uint32_t* step = nullptr;  // 1 at the first update
  float beta1 = 0.9f, beta2 = 0.98f, epsilon = 1e-8f, weight_decay = 0.01f;
  float max_norm = 0.0f;
};

}  // namespace phasor
