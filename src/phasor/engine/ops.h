#pragma once
// The engine's instruction set. An op is a record of views; a Backend runs it. Ops have the grain of
// what should be fused, because a backend cannot fuse across run().
//
// `dx` is the gradient of the loss by `x`; outputs that are added to say `+=`. Every other output is
// overwritten. An empty view means "absent" where the comment allows it. Pointers and views are
// device memory of the backend that runs the op.
#include <cstdint>

#include "phasor/base/feature_map.h"
#include "phasor/engine/dense_term.h"
#include "phasor/formula/program.h"
#include "phasor/random/stream.h"
#include "phasor/tensor/matrix.h"
#include "phasor/tensor/view.h"

namespace phasor {

// Extents are capacities. How many rows a batch really has is data, so that a step can be captured
// once and replayed on batches of other sizes.
struct Rows {
  const int32_t* used = nullptr;  // null: all rows of the extent
  // At least *used, and known to the host: grids and libraries need a number. Rows from *used up to it are scratch, in
  // which anything may be written and which reach no result. Negative: not known, and nothing behind *used is written.
  int64_t bound = -1;
};

// A ragged batch: sequence s owns the tokens offsets[s] .. offsets[s + 1] - 1 of the flat token array.
struct Sequences {
  View<const int32_t, 1> offsets;    // [sequence capacity + 1]
  View<const int32_t, 2> positions;  // [token capacity, axes]
  const int32_t* count = nullptr;    // sequences in this batch
  const int32_t* tokens = nullptr;   // tokens in this batch, = offsets[*count]
  int64_t count_bound = -1;          // as Rows::bound, of sequences
  int64_t token_bound = -1;          // of tokens
  int64_t length_bound = -1;         // at least the length of each sequence; negative: not known
  bool running = false;              // within a sequence, positions are known to go up by one on every axis
};

// Keeps each element with probability 1 - rate and scales it by 1 / (1 - rate). The mask is a function
// of (stream, *step, index) alone, never of tiles or threads.
struct Dropout {
  float rate = 0.0f;  // taken to the nearest multiple of 2^-16 (random/stream.h)
  RandomStream stream;
  const uint32_t* step = nullptr;  // replaces stream.step
};

// --- Embedding -----------------------------------------------------------------------------------

// What an encoding adds to the embeddings: row p of the sequence's table, p = the token's position on `axis`.
struct InputTable {
  View<const float, 2> table;             // [tables * positions, width]; empty: none
  View<const int32_t, 1> sequence_table;  // [sequences]: which table a sequence reads; empty: table 0
  int32_t positions = 0;                  // rows of one table
  int32_t axis = 0;
};

// y[t] = table[ids[t]] + input[p]. A table narrower than y leaves the last channels to the input alone.
struct EmbeddingForward {
  View<float, 2> y;            // [tokens, width]
  View<const int32_t, 1> ids;  // [tokens]
  View<const float, 2> table;  // [vocabulary, width or less]
  InputTable input;
  Sequences sequences;
};

struct EmbeddingBackward {
  View<float, 2> dtable;  // +=
  View<float, 2> dinput;  // += [tables * positions, width] or empty
  View<const float, 2> dy;
  View<const int32_t, 1> ids;
  InputTable input;  // its table is not read
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

// dy is the gradient before y's activation: the op that read y as its x has taken the slope into its dx.
struct LinearBackward {
  Matrix dx;                   // [rows, in] or empty
  bool accumulate_dx = false;  // dx += instead of =; bf16 is read, added to in fp32 and rounded once more
  View<float, 2> dweight;      // += [out, in]
  View<float, 1> dbias;        // += [out] or empty
  ConstMatrix dy;              // [rows, out]
  ConstMatrix x;
  ConstMatrix weight;
  Activation x_activation = Activation::none;  // what made x: dx is multiplied by its slope
  ConstMatrix x_preactivation;                 // [rows, in], gelu only
  Rows rows;
};

// --- Gates ---------------------------------------------------------------------------------------

// What becomes of a number before it is summed; neither is ever positive.
enum class GateMap : uint8_t {
  log_sigmoid,     // log(1 / (1 + e^-z))
  minus_softplus,  // -log(1 + e^z), the same of -z
};

// Gates of tokens, summed along each sequence: c_t = sum of map(z_s) over the tokens s <= t of its sequence. What lies
// between two tokens is a difference of two sums.
struct GateScan {
  View<const float, 2> z;       // [tokens, gates]
  View<const int32_t, 1> head;  // [gates], all different: the column of the sums that a gate has
  GateMap map = GateMap::log_sigmoid;
  Sequences sequences;
};

struct GateScanForward {
  View<double, 2> sums;  // [tokens, heads]; columns that no gate has are left alone
  GateScan scan;
};

struct GateScanBackward {
  Matrix dz;                    // [tokens, gates]
  View<const double, 2> dsums;  // [tokens, heads]
  GateScan scan;
};

// y = silu(g) c, element by element, of x = [g, c].
struct GatedProductForward {
  Matrix y;       // [rows, width]
  ConstMatrix x;  // [rows, 2 width]
  Rows rows;
};

struct GatedProductBackward {
  Matrix dx;
  ConstMatrix dy, x;
  Rows rows;
};

// Angles of tokens: w_c u_t, where u_t is a number of the token times sigmoid of its gate, or the sum of these over the
// tokens up to t of the sequence. A set is a head's worth of pairs; it has a number for each pair, or one for all.
struct TokenAngles {
  View<const float, 2> z;           // [tokens, sets * pairs] or [tokens, sets]
  View<const float, 2> gate;        // [tokens, sets] or empty
  View<const double, 1> frequency;  // [pairs]
  int32_t sets = 1;
  bool summed = false;
  Sequences sequences;
};

struct TokenAnglesForward {
  View<float, 4> factors;  // [tokens, sets, pairs, 2]: the cosine and the sine of every angle
  TokenAngles angles;
};

struct TokenAnglesBackward {
  Matrix dz;
  Matrix dgate;                 // empty where gate is
  View<const float, 3> dangle;  // [tokens, sets, pairs]
  TokenAngles angles;
};

// --- Attention -----------------------------------------------------------------------------------

// Complex factors per axis, position and channel pair: a pair (a, b) read as a + i b is multiplied by the
// product over the axes of factor[0] + i factor[1], each taken at the token's position on that axis. An axis
// that does not turn a pair has the factor 1 there. Rotations have modulus 1, decays do not. Query and key
// tables may differ. Pairs are channels (first + 2 c, first + 2 c + 1), or (first + c, first + pairs + c)
// when `halves`.
//
// Tokens may bring factors of their own along (TokenAngles), the same for queries and keys: for heads with a token_set,
// which have no head_set.
struct RotationTable {
  View<const float, 4> query;             // [tables * sets * axes, positions, pairs, 2]; empty: no rotation
  View<const float, 4> key;               // as query
  View<const int32_t, 1> head_set;        // [heads]: which set turns the head, -1 for none
  View<const int32_t, 1> sequence_table;  // [sequences]: which table a sequence reads; empty: table 0
  View<const float, 4> token;             // [tokens, token sets, pairs, 2]; empty: none
  View<const int32_t, 1> token_set;       // [heads]: which of a token's sets turns the head, -1 for none
  int32_t sets = 1;                       // sets per table
  int32_t axes = 1;                       // the first so many axes of the positions
  int32_t first = 0;                      // first rotated channel
  bool halves = false;
};

// One number per head and distance, added to the logit outside the scale: row h of the sequence's table, or
// row h * rows + p_i where the bias also depends on the query's position; column reach + p_j - p_i. Positions
// are those on `axis`.
struct DistanceBias {
  View<const float, 2> table;             // [tables * heads * rows, 2 * reach + 1]; empty: none
  View<const int32_t, 1> sequence_table;  // [sequences]: which table a sequence reads; empty: table 0
  int32_t reach = 0;                      // largest |p_j - p_i|
  int32_t rows = 1;                       // 1, or the number of positions
  int32_t axis = 0;
};

// A factor on the products of one query with all keys, inside of the biases: row h of the sequence's table, column p_i,
// the query's position on `axis`, or column 0 where there is only one.
struct RowScale {
  View<const float, 2> table;             // [tables * heads, positions or 1]; empty: 1
  View<const int32_t, 1> sequence_table;  // [sequences]: which table a sequence reads; empty: table 0
  int32_t axis = 0;
};

// A vector per distance, which a token's own channels are multiplied with: row index[reach + p_j - p_i] of the table.
// Heads stand side by side as in a query; a table of one head's columns is read by all. Positions are those on `axis`.
struct DistanceRows {
  View<const float, 2> table;    // [rows, heads * key_width or key_width]; empty: none
  View<const int32_t, 1> index;  // [2 * reach + 1]: the row that a distance reads, the distance -reach first
  int32_t reach = 0;             // largest |p_j - p_i|
  int32_t axis = 0;
};

struct AttentionShape {
  int32_t heads = 1;
  int32_t key_heads = 1;           // divides heads; query head h reads key head h * key_heads / heads
  int32_t key_width = 0;           // channels of a head's query and key, the shared part included
  int32_t shared_key_width = 0;    // trailing key channels held once for all heads
  int32_t shared_query_width = 0;  // trailing query channels held once for all heads
  int32_t value_width = 0;
  // Of queries and keys, before they are turned; then no channels are shared.
  FeatureMap feature = FeatureMap::none;

  int32_t turned_width() const { return key_width * feature_channels(feature); }  // of a head's query and key
};

// L_ij = scale * head_scale[h] * row_scale_h(p_i) * (<A (q_i + u_h), B k_j> + <q_i + v_h, E_h(p_j - p_i)> +
// <k_j, F_h(p_j - p_i)>) + b_h(p_j - p_i) - |c_i - c_j|;
// o_i = sum_j dropout(softmax(L))_ij v_j, over the keys that query i sees (key_mask.h). With a sink the softmax is over
// L_i and the sink's logit, which has no value: what it takes is missing in the sum.
// Distance rows (E, F) meet queries and keys as they stand before the rotation, so that logits depend on content and
// distance alone where those without rows do. Shifts and rows have no meaning for features: then there are none.
struct Attention {
  ConstMatrix query;         // [tokens, heads * (key_width - shared_query_width)]
  ConstMatrix shared_query;  // [tokens, shared_query_width] or empty
  ConstMatrix key;           // [tokens, key_heads * (key_width - shared_key_width)]
  ConstMatrix shared_key;    // [tokens, shared_key_width] or empty
  ConstMatrix value;         // [tokens, key_heads * value_width]
  AttentionShape shape;
  Sequences sequences;
  float scale = 1.0f;
  View<const float, 1> head_scale;  // [heads] or empty
  bool causal = false;
  View<const int32_t, 1> window;  // [heads] or empty: keys less than so many tokens from the query; 0: all
  View<const int32_t, 1> chunk;   // [heads] or empty: keys of the query's own chunk of so many tokens; 0: all
  View<const float, 1> sink;      // [heads] or empty: the sink's logit; -infinity: none
  RotationTable rotation;
  RowScale row_scale;
  DistanceBias bias;
  // c: one number per token and head that does not rise along a sequence (GateScan). In double, because differences of
  // large numbers are what counts.
  View<const double, 2> prefix;       // [tokens, heads]; empty: none
  DistanceRows query_rows, key_rows;  // E, F
  View<const float, 2> query_shift;   // u: [heads, key_width] or empty
  View<const float, 2> row_shift;     // v: [heads, key_width] or empty; read where there are query_rows
  DenseTerm dense;                    // what it changes about the products and adds to L
  // The weight from query i to key j of sequence s and head h has index s * 2^40 + i * 2^20 + j and
  // site stream.site + h.
  Dropout dropout;
};

struct AttentionForward {
  Matrix out;              // [tokens, heads * value_width]
  View<float, 2> log_sum;  // [tokens, heads]: log sum_j exp(L_ij), the sink's exp among them
  Attention attention;
};

// dbias is filled whether or not there is a bias: with a zero (absent) one it is the probe of the
// loss's gradient by logits, projected on distance.
struct AttentionBackward {
  Matrix dquery, dkey, dvalue;
  Matrix dshared_query, dshared_key;  // empty where shared_query, shared_key are
  View<float, 2> dbias;               // += [tables * heads * bias.rows, 2 * bias.reach + 1] or empty
  // += [tables * sets * axes, pairs] or empty: by w, where the factors are m e^(i w p) with any m that w is no part of.
  View<float, 2> dfrequency;
  View<double, 2> dprefix;  // [tokens, heads], empty where there is no prefix
  View<float, 2> dscale;    // += as row_scale.table, or empty
  View<float, 1> dsink;     // += [heads] or empty
  View<float, 3> dangle;    // [tokens, token sets, pairs]: by the angles of rotation.token; empty where there are none
  // += [tables * sets, pairs] or empty: by a phase that keys are turned by beside the query's factors, e^(i phase).
  View<float, 2> dphase;
  View<float, 2> dquery_rows, dkey_rows;    // += as the tables, or empty
  View<float, 2> dquery_shift, drow_shift;  // += [heads, key_width] or empty
  DenseTermGradients ddense;
  ConstMatrix out, dout;
  View<const float, 2> log_sum;
  Attention attention;
};

// One sequence with everything materialised: the oracle, the exporter, and the home of encodings
// that no tiled kernel can serve. Every output may be empty.
struct AttentionDenseForward {
  int32_t sequence = 0;
  View<float, 3> logits;        // [heads, n, n]; masked entries are -infinity
  View<float, 3> weights;       // [heads, n, n], after softmax, before dropout; a sink's share is missing in them
  View<float, 3> turned_query;  // [heads, n, shape.turned_width()], after rotation
  View<float, 3> turned_key;    // as turned_query
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

// The answer as one number: value[r] = centre + unit (x . weight + bias), loss[r] = ((value - target) / unit)^2, and
// the total loss is sum_r target_weight[r] loss[r]. With a dx the gradients of the total loss are made in the same
// pass.
struct LinearSquaredError {
  View<float, 1> loss;  // [rows], 0 where the row's weight is 0
  // [rows], the whole number nearest to the value (the larger one of two), kept within int32; its smallest for NaN.
  View<int32_t, 1> prediction;
  Matrix dx;                           // [rows, width]; empty: evaluation only
  View<float, 2> dweight;              // += [1, width]
  View<float, 1> dbias;                // += [1] or empty
  ConstMatrix x;                       // [rows, width]
  ConstMatrix weight;                  // [1, width]
  View<const float, 1> bias;           // [1] or empty
  View<const int32_t, 1> targets;      // [rows]; rows of weight 0 may hold anything
  View<const float, 1> target_weight;  // [rows]
  float centre = 0.0f, unit = 1.0f;    // what the numbers 0 and 1 of the readout stand for: centre, centre + unit
  Rows rows;
};

// What a batch came to, in double and in a fixed order: sums over the targets that are scored. An answer is a
// sequence's scored targets together.
struct ScoreTargets {
  // loss, targets predicted rightly, targets scored, answers that are wholly right, answers; row *slot % slots. Sums
  // that are not `added` are overwritten.
  View<double, 2> sums;            // [slots, kScoreSums]
  const uint32_t* slot = nullptr;  // null: row 0
  bool added = false;
  View<const float, 1> loss;                  // [targets]
  View<const int32_t, 1> prediction, target;  // [targets]
  int32_t not_scored = -1;                    // a target that does not count
  bool every_token = false;                   // a target for each token; else one for each sequence
  Sequences sequences;
};
inline constexpr int64_t kScoreSums = 5;

// --- Tables made from parameters -----------------------------------------------------------------
//
// A learned encoding's table is remade from its parameters before a forward pass, and its gradient is
// brought back to them after the backward pass. Terms of a sum add up, so their ops add. Ranges of columns are
// from the first to before the second.

// table[e] += parameter[index[e]], where index[e] is not negative.
struct GatherTableForward {
  View<float, 1> table;  // += [entries]
  View<const float, 1> parameter;
  View<const int32_t, 1> index;  // [entries]
};

struct GatherTableBackward {
  View<float, 1> dparameter;  // +=, in the order of the entries
  View<const float, 1> dtable;
  View<const int32_t, 1> index;
};

// A formula's value for each row and column. Learned number k of group g is
// parameters[place(k, 0) + g * place(k, 1)]; a stride of 0 shares it between the groups.
struct FormulaTable {
  const FormulaProgram* program = nullptr;  // host memory
  View<const double, 2> row_values;         // [program->row_variables, rows]
  View<const double, 2> column_values;      // [program->column_variables, columns]
  View<const int32_t, 1> row_group;         // [rows], -1: the row is left alone
  View<const int32_t, 2> row_columns;       // [rows, 2]: from, up to; empty: all columns
  View<const float, 1> parameters;
  View<const int32_t, 2> parameter_place;  // [program->parameters, 2]
};

struct FormulaTableForward {
  View<float, 2> table;  // += [rows, columns]
  FormulaTable formula;
};

struct FormulaTableBackward {
  View<float, 1> dparameters;  // +=, laid out as formula.parameters
  View<const float, 2> dtable;
  FormulaTable formula;
};

// table[heads[o] * rows + r][c] += weight2[o] . relu(weight1 x[r][c] + bias1) + bias2[o]: a small network from
// one number to one per head.
struct MlpTable {
  View<const float, 2> x;               // [rows, columns]
  View<const int32_t, 2> row_columns;   // [rows, 2]: from, up to; empty: all columns
  View<const int32_t, 1> heads;         // [outputs]: which head an output is for; empty: in order
  View<const float, 1> weight1, bias1;  // [hidden]
  View<const float, 2> weight2;         // [outputs, hidden]
  View<const float, 1> bias2;           // [outputs]
};

struct MlpTableForward {
  View<float, 2> table;  // += [heads * rows, columns]
  MlpTable mlp;
};

struct MlpTableBackward {
  View<float, 2> dx;                // +=
  View<float, 1> dweight1, dbias1;  // +=
  View<float, 2> dweight2;          // +=
  View<float, 1> dbias2;            // +=
  View<const float, 2> dtable;
  MlpTable mlp;
};

// factors[r][p][c] = (not +=) magnitude e^(i frequency[r][c] p), the product in double before it is reduced.
struct RotationFactors {
  View<float, 4> factors;          // [rows, positions, pairs, 2]
  View<const float, 2> frequency;  // [rows, pairs]
  float magnitude = 1.0f;
};

// factors[r][p][c] = (not +=) base[r][p][c] e^(i phase[r][c]).
struct PhaseFactors {
  View<float, 4> factors;      // [rows, positions, pairs, 2]
  View<const float, 4> base;   // as factors
  View<const float, 2> phase;  // [rows, pairs]
};

// --- Parameters ----------------------------------------------------------------------------------

struct Fill {
  View<float, 1> x;
  float value = 0.0f;
};

struct Clamp {
  View<float, 1> x;
  float least = 0.0f, most = 0.0f;
};

struct Cast {
  Matrix to;
  ConstMatrix from;
};

// norm[*slot % slots] = sqrt(sum of squares), summed in a fixed order in double.
struct GradientNorm {
  View<float, 1> norm;  // [slots]
  View<const float, 1> gradient;
  const uint32_t* slot = nullptr;  // null: norm[0]
};

// Decoupled weight decay (Loshchilov and Hutter, 2019), bias-corrected moments. The gradient is
// first scaled by min(1, max_norm / norm) where max_norm > 0.
struct AdamW {
  View<float, 1> parameter, first_moment, second_moment;
  View<const float, 1> gradient;
  View<const float, 1> gradient_norm;  // [slots], read at *step % slots when max_norm > 0
  const float* learning_rate = nullptr;
  const uint32_t* step = nullptr;  // 1 at the first update
  float beta1 = 0.9f, beta2 = 0.98f, epsilon = 1e-8f, weight_decay = 0.01f;
  float max_norm = 0.0f;
};

}  // namespace phasor
