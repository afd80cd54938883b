// Fused attention over ragged batches in fp32 arithmetic, for what tensor cores do not serve: a block takes a tile of
// queries of one head and goes through the keys with a running softmax.
#include <math_constants.h>

#include <string>

#include "phasor/engine/cuda/attention.h"
#include "phasor/engine/cuda/attention_block.h"
#include "phasor/engine/cuda/attention_short.h"

namespace phasor::cuda {
namespace {

template <class Heads>
__global__ void __launch_bounds__(BlockShape<Heads>::kThreads)
    forward_tile(const __grid_constant__ AttentionForward op, const AttentionTile* tiles, const int32_t* tile_count) {
  constexpr int kOwn = Heads::kRowsPerWarp;
  constexpr int kRows = BlockShape<Heads>::kRows;
  if (blockIdx.x >= *tile_count) return;
  const AttentionTile tile = tiles[blockIdx.x];
  const Attention& a = op.attention;
  const HeadPlace place(a, tile.sequence, blockIdx.y);
  const int key_width = a.shape.key_width;
  const int width = a.shape.value_width;
  const int key_stride = row_stride(key_width);
  const int stride = row_stride(width);

  extern __shared__ float4 shared[];
  float* query = reinterpret_cast<float*>(shared);                       // [kRows, key_stride]
  float* key = query + kRows * key_stride;                               // [32, key_stride]
  float* value = key + kWarp * key_stride;                               // [32, stride]
  float* weights = value + kWarp * stride + this_warp() * kOwn * kWarp;  // the warp's own [kOwn, 32]

  const int lane = this_lane();
  const int64_t n = place.length;
  const int64_t row = tile.begin + this_warp() * kOwn;  // the warp's first
  load_query(query, kRows, tile.begin, a, place);
  const DropoutMask mask(a.dropout, static_cast<uint32_t>(place.head));
  const int64_t biases = bias_row(a, place);
  const bool biased = !a.bias.table.empty();
  int64_t position[kOwn] = {};
  float peak[kOwn], total[kOwn], sums[kOwn][Heads::kGroups] = {};
#pragma unroll
  for (int r = 0; r < kOwn; ++r) {
    peak[r] = -CUDART_INF_F;
    total[r] = 0.0f;
    if (biased && row + r < n) position[r] = bias_position(a, place.first + row + r);
  }

  const int64_t keys = a.causal ? min(n, int64_t{tile.begin} + kRows) : n;
  for (int64_t begin = 0; begin < keys; begin += kWarp) {
    __syncthreads();
    load_key(key, kWarp, begin, a, place);
    load_value(value, kWarp, begin, a.value, place.key_head, a, place);
    __syncthreads();
    const int64_t j = begin + lane;
    float scores[kOwn];
    dots_with_lane(scores, query + this_warp() * kOwn * key_stride, key + lane * key_stride, key_width, key_stride);
    const int64_t key_position = biased && j < n ? bias_position(a, place.first + j) : 0;
    const unsigned kept = mask.active() ? kept_queries<kOwn>(mask, place, row, j) : ~0u;
#pragma unroll
    for (int r = 0; r < kOwn; ++r) {
      const bool visible = row + r < n && j < n && (!a.causal || j <= row + r);
      if (visible && biased) scores[r] += bias_at(a, biases, position[r], key_position);
      const float score = visible ? scores[r] : -CUDART_INF_F;
      const float largest = fmaxf(peak[r], warp_max(score));
      // A row that has seen nothing yet has nothing to rescale.
      const float rescale = peak[r] == largest ? 1.0f : expf(peak[r] - largest);
      const float e = visible && largest > -CUDART_INF_F ? expf(score - largest) : 0.0f;
      total[r] = total[r] * rescale + warp_sum(e);
      peak[r] = largest;
#pragma unroll
      for (int g = 0; g < Heads::kGroups; ++g) sums[r][g] *= rescale;
      weights[r * kWarp + lane] = (kept >> r & 1u) != 0 ? e : 0.0f;
    }
    __syncwarp();
    add_products(sums, weights, value, static_cast<int>(min(int64_t{kWarp}, keys - begin)), width, stride);
  }

#pragma unroll
  for (int r = 0; r < kOwn; ++r) {
    if (row + r >= n) continue;
    const int64_t token = place.first + row + r;
    const float scale = mask.keep_scale() / total[r];
#pragma unroll
    for (int g = 0; g < Heads::kGroups; ++g) {
      const int c = g * kWarp + lane;
      if (c < width) write_at(op.out, token, place.head * width + c, sums[r][g] * scale);
    }
    if (lane == 0) op.log_sum(token, place.head) = peak[r] + logf(total[r]);
  }
}

}  // namespace

void attention_forward(const AttentionForward& op, const CudaContext& context) {
  if (takes_short(op.attention)) {
    short_forward(op, context);
    if (!are_short(op.attention.sequences)) tensor_attention_forward(op, kShortRows, context);
    return;
  }
  if (takes_tensor_cores(op.attention)) return tensor_attention_forward(op, 0, context);
  const AttentionShape& shape = op.attention.shape;
  with_heads(shape, [&]<class Heads>(Heads) {
    constexpr int kRows = BlockShape<Heads>::kRows;
    const AttentionTiles tiles(op.attention.sequences, kRows, 0, context);
    const int floats =
        (kRows + kWarp) * row_stride(shape.key_width) + kWarp * row_stride(shape.value_width) + kRows * kWarp;
    launch(forward_tile<Heads>, dim3(static_cast<unsigned>(tiles.capacity()), static_cast<unsigned>(shape.heads)),
           BlockShape<Heads>::kThreads, floats * sizeof(float), context, op, tiles.list(), tiles.count());
  });
}

}  // namespace phasor::cuda
