#pragma once
// What the kernels of attention's backward pass share. With P = exp(L - log_sum), m the dropout factors and
// D_i = <dout_i, out_i>: dL_ij = P_ij (m_ij <dout_i, v_j> - D_i). Queries, keys and tables each have a kernel of their
// own that makes dL again, so that every sum has one owner and one order. For .cu files.
#include <cstdint>

#include "phasor/engine/cuda/attention_block.h"

namespace phasor::cuda {

// Working memory of one backward pass; null where nobody asks for it.
struct BackwardScratch {
  float* taken = nullptr;               // [tokens, heads]: D
  float* dshared_query = nullptr;       // [heads, tokens, shared query width]: each head's share
  float* dshared_key = nullptr;         // [key heads, tokens, shared key width]
  double* query_frequencies = nullptr;  // [tiles, heads, axes, pairs]: a tile's share
  double* key_frequencies = nullptr;    // likewise
  float* distances = nullptr;           // [chunks, as dbias]: a run of tiles' share
  int64_t chunks = 0;
  float* short_distances = nullptr;  // [sequences, heads, kShortDistances]: a short sequence's share
};

// P and dL of one query and key. Masked: both 0.
struct ScoreGradient {
  float weight, dscore;
};

__device__ inline ScoreGradient score_gradient(float score, float log_sum, float dweight, float factor, float taken) {
  const float weight = expf(score - log_sum);
  return {weight, weight * (factor * dweight - taken)};
}

// Queries that a block owns, as the kernels of queries and of distances go through them: their turned rows, dout, and
// what a row needs of the forward pass.
template <class Heads>
struct OwnQueries {
  static constexpr int kOwn = Heads::kRowsPerWarp;
  static constexpr int kRows = BlockShape<Heads>::kRows;

  const AttentionBackward& op;
  const HeadPlace& place;
  float *query, *dout, *key, *value;  // shared memory: [kRows, .], [kRows, .], [32, .], [32, .]
  int64_t row;                        // the warp's first
  DropoutMask mask;
  float log_sum[kOwn], taken[kOwn];
  int64_t position[kOwn];

  static PHASOR_HOST_DEVICE int floats(const AttentionShape& shape) {
    return (kRows + kWarp) * (row_stride(shape.key_width) + row_stride(shape.value_width));
  }

  // Ends without a barrier.
  __device__ OwnQueries(const AttentionBackward& given, const HeadPlace& where, const BackwardScratch& scratch,
                        int64_t begin, float* shared)
      : op(given),
        place(where),
        query(shared),
        dout(query + kRows * row_stride(op.attention.shape.key_width)),
        key(dout + kRows * row_stride(op.attention.shape.value_width)),
        value(key + kWarp * row_stride(op.attention.shape.key_width)),
        row(begin + this_warp() * kOwn),
        mask(op.attention.dropout, static_cast<uint32_t>(where.head)) {
    const Attention& a = op.attention;
    load_query(query, kRows, begin, a, place);
    load_value(dout, kRows, begin, op.dout, place.head, a, place);
#pragma unroll
    for (int r = 0; r < kOwn; ++r) {
      const bool valid = row + r < place.length;
      const int64_t token = place.first + row + r;
      log_sum[r] = valid ? op.log_sum(token, place.head) : 0.0f;
      taken[r] = valid ? scratch.taken[token * a.shape.heads + place.head] : 0.0f;
      position[r] = valid && !a.bias.table.empty() ? bias_position(a, token) : 0;
    }
  }

  // Loads keys [begin, begin + 32); barriers before and behind.
  __device__ void load_keys(int64_t begin) const {
    __syncthreads();
    load_key(key, kWarp, begin, op.attention, place);
    load_value(value, kWarp, begin, op.attention.value, place.key_head, op.attention, place);
    __syncthreads();
  }

  // dscores[r] between the warp's own queries and the lane's key.
  __device__ void gradients(float (&dscores)[kOwn], int64_t begin) const {
    const Attention& a = op.attention;
    const int key_stride = row_stride(a.shape.key_width);
    const int stride = row_stride(a.shape.value_width);
    const int64_t n = place.length;
    const int64_t j = begin + this_lane();
    float scores[kOwn], dweights[kOwn];
    dots_with_lane(scores, query + this_warp() * kOwn * key_stride, key + this_lane() * key_stride, a.shape.key_width,
                   key_stride);
    dots_with_lane(dweights, dout + this_warp() * kOwn * stride, value + this_lane() * stride, a.shape.value_width,
                   stride);
    const bool biased = !a.bias.table.empty();
    const int64_t key_position = biased && j < n ? bias_position(a, place.first + j) : 0;
    const unsigned kept = mask.active() ? kept_queries<kOwn>(mask, place, row, j) : ~0u;
#pragma unroll
    for (int r = 0; r < kOwn; ++r) {
      const bool visible = row + r < n && j < n && (!a.causal || j <= row + r);
      if (visible && biased) scores[r] += bias_at(a, bias_row(a, place), position[r], key_position);
      const float factor = (kept >> r & 1u) != 0 ? mask.keep_scale() : 0.0f;
      dscores[r] = visible ? score_gradient(scores[r], log_sum[r], dweights[r], factor, taken[r]).dscore : 0.0f;
    }
  }
};

// What a tile's rows add to the gradients by frequency, [axes, pairs]: the sum of p (g_b x_a - g_a x_b), where x is
// turned and g is the gradient by x. Both have rows in shared memory.
template <class T>
__device__ void sum_frequencies(double* to, const float* gradient, int stride, const T* turned, int turned_stride,
                                int64_t rows, const View<const float, 4>& table, const Attention& a,
                                const HeadPlace& place, int64_t begin) {
  const HeadTurn turn(table, a, place);
  const int64_t pairs = table.extent(2);
  for (int64_t i = threadIdx.x; i < a.rotation.axes * pairs; i += blockDim.x) {
    double sum = 0.0;
    const int64_t at = turn.first_channel(i % pairs);
    const int64_t other = at + turn.apart();
    for (int64_t r = 0; r < (turn.pairs() > 0 ? rows : 0); ++r) {
      const float* g = gradient + r * stride;
      const T* x = turned + r * turned_stride;
      const double moment = double{g[other]} * double{to_float(x[at])} - double{g[at]} * double{to_float(x[other])};
      sum += static_cast<double>(a.sequences.positions(place.first + begin + r, i / pairs)) * moment;
    }
    to[i] = sum;
  }
}

void backward_queries(const AttentionBackward& op, const BackwardScratch& scratch, const AttentionTiles& tiles,
                      const CudaContext& context);
void backward_keys(const AttentionBackward& op, const BackwardScratch& scratch, const AttentionTiles& tiles,
                   const CudaContext& context);
// The same on tensor cores; tiles of kHeadRows.
void tensor_backward_queries(const AttentionBackward& op, const BackwardScratch& scratch, const AttentionTiles& tiles,
                             const CudaContext& context);
void tensor_backward_keys(const AttentionBackward& op, const BackwardScratch& scratch, const AttentionTiles& tiles,
                          const CudaContext& context);
void tensor_backward_distances(const AttentionBackward& op, const BackwardScratch& scratch, const AttentionTiles& tiles,
                               const CudaContext& context);
void backward_distances(const AttentionBackward& op, const BackwardScratch& scratch, const AttentionTiles& tiles,
                        const CudaContext& context);
// dbias and dfrequency += the shares of runs and of tiles, in order.
void add_distances(const AttentionBackward& op, const BackwardScratch& scratch, const CudaContext& context);
void add_frequencies(const AttentionBackward& op, const BackwardScratch& scratch, const AttentionTiles& tiles,
                     const CudaContext& context);

}  // namespace phasor::cuda
