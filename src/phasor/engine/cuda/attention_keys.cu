// The gradients by keys and values: a block takes a tile of keys of one key head and goes through the queries of all
// heads that read it, head after head.
#include "phasor/engine/cuda/attention_gradients.h"

namespace phasor::cuda {
namespace {

template <class Heads>
int key_tile_floats(const AttentionShape& shape) {
  constexpr int kRows = BlockShape<Heads>::kRows;
  return (2 * kRows + kWarp) * row_stride(shape.key_width) + (kRows + kWarp) * row_stride(shape.value_width) +
         2 * kRows * kWarp;
}

template <class Heads>
__global__ void __launch_bounds__(BlockShape<Heads>::kThreads)
    key_tile(const __grid_constant__ AttentionBackward op, const BackwardScratch scratch, const AttentionTile* tiles,
             const int32_t* tile_count) {
  constexpr int kOwn = Heads::kRowsPerWarp;
  constexpr int kRows = BlockShape<Heads>::kRows;
  if (blockIdx.x >= *tile_count) return;
  const AttentionTile tile = tiles[blockIdx.x];
  const Attention& a = op.attention;
  const int64_t group = a.shape.heads / a.shape.key_heads;
  const int64_t key_head = blockIdx.y;
  const int key_width = a.shape.key_width;
  const int width = a.shape.value_width;
  const int key_stride = row_stride(key_width);
  const int stride = row_stride(width);

  extern __shared__ float4 shared[];
  float* key = reinterpret_cast<float*>(shared);  // [kRows, key_stride]
  float* value = key + kRows * key_stride;        // [kRows, stride]
  float* query = value + kRows * stride;          // [32, key_stride]
  float* dout = query + kWarp * key_stride;       // [32, stride]
  float* total = dout + kWarp * stride;           // [kRows, key_stride]: turned back, over the heads so far
  float* weights = total + kRows * key_stride + this_warp() * 2 * kOwn * kWarp;  // the warp's own [kOwn, 32]
  float* dscores = weights + kOwn * kWarp;                                       // likewise

  const int lane = this_lane();
  const HeadPlace first(a, tile.sequence, key_head * group);
  const int64_t n = first.length;
  const int64_t rows = min(int64_t{kRows}, n - tile.begin);
  const int64_t row = tile.begin + this_warp() * kOwn;  // the warp's first key
  const bool biased = !a.bias.table.empty();
  int64_t position[kOwn] = {};
#pragma unroll
  for (int r = 0; r < kOwn; ++r) {
    if (biased && row + r < n) position[r] = bias_position(a, first.first + row + r);
  }
  load_value(value, kRows, tile.begin, a.value, key_head, a, first);
  fill_rows(total, kRows, key_stride, 0, 0, [](int, int) { return 0.0f; });

  float dvalue[kOwn][Heads::kGroups] = {};
  for (int64_t h = key_head * group; h < (key_head + 1) * group; ++h) {
    const HeadPlace place(a, tile.sequence, h);
    const DropoutMask mask(a.dropout, static_cast<uint32_t>(h));
    const int64_t biases = bias_row(a, place);
    __syncthreads();
    load_key(key, kRows, tile.begin, a, place);
    float dkey[kOwn][Heads::kGroups] = {};
    for (int64_t begin = a.causal ? tile.begin : 0; begin < n; begin += kWarp) {
      __syncthreads();
      load_query(query, kWarp, begin, a, place);
      load_value(dout, kWarp, begin, op.dout, h, a, place);
      __syncthreads();
      const int64_t i = begin + lane;
      const int64_t token = place.first + min(i, n - 1);
      const float log_sum = op.log_sum(token, h);
      const float taken = scratch.taken[token * a.shape.heads + h];
      const int64_t query_position = biased ? bias_position(a, token) : 0;
      float scores[kOwn], dweights[kOwn];
      dots_with_lane(scores, key + this_warp() * kOwn * key_stride, query + lane * key_stride, key_width, key_stride);
      dots_with_lane(dweights, value + this_warp() * kOwn * stride, dout + lane * stride, width, stride);
      // The warp's keys lie in one Philox block.
      const unsigned kept =
          mask.active() ? mask.keep_bits(dropout_block(place, i, row)) >> static_cast<unsigned>(row % 8) : ~0u;
#pragma unroll
      for (int r = 0; r < kOwn; ++r) {
        const bool visible = row + r < n && i < n && (!a.causal || row + r <= i);
        if (visible && biased) scores[r] += bias_at(a, biases, query_position, position[r]);
        const float factor = (kept >> r & 1u) != 0 ? mask.keep_scale() : 0.0f;
        ScoreGradient g = {0.0f, 0.0f};
        if (visible) g = score_gradient(scores[r], log_sum, dweights[r], factor, taken);
        weights[r * kWarp + lane] = g.weight * factor;
        dscores[r * kWarp + lane] = g.dscore;
      }
      __syncwarp();
      const int count = static_cast<int>(min(int64_t{kWarp}, n - begin));
      add_products(dvalue, weights, dout, count, width, stride);
      add_products(dkey, dscores, query, count, key_width, key_stride);
    }
    __syncthreads();
    float* gradient = query;  // this head's queries are done with
    store_sums(gradient, dkey, key_width, key_stride);
    __syncthreads();
    if (scratch.key_frequencies != nullptr) {
      const int64_t share = a.rotation.axes * a.rotation.key.extent(2);
      sum_frequencies(scratch.key_frequencies + (int64_t{blockIdx.x} * a.shape.heads + h) * share, gradient, key_stride,
                      key, key_stride, rows, a.rotation.key, a, place, tile.begin);
    }
    const HeadTurn turn(a.rotation.key, a, place);
    for (int at = static_cast<int>(threadIdx.x); at < rows * key_width; at += static_cast<int>(blockDim.x)) {
      const int r = at / key_width;
      const int c = at % key_width;
      total[r * key_stride + c] += turn.turned<true, float>(
          place.first + tile.begin + r, c, [&](int64_t channel) { return gradient[r * key_stride + channel]; });
    }
  }
  __syncthreads();

  const int shared_width = a.shape.shared_key_width;
  const int own_width = key_width - shared_width;
  for (int at = static_cast<int>(threadIdx.x); at < rows * key_width; at += static_cast<int>(blockDim.x)) {
    const int r = at / key_width;
    const int c = at % key_width;
    const int64_t token = first.first + tile.begin + r;
    const float g = total[r * key_stride + c];
    if (c < own_width) {
      write_at(op.dkey, token, key_head * own_width + c, g);
    } else {
      scratch.dshared_key[(key_head * a.sequences.positions.extent(0) + token) * shared_width + c - own_width] = g;
    }
  }
#pragma unroll
  for (int r = 0; r < kOwn; ++r) {
#pragma unroll
    for (int g = 0; g < Heads::kGroups; ++g) {
      const int c = g * kWarp + lane;
      if (row + r < n && c < width) write_at(op.dvalue, first.first + row + r, key_head * width + c, dvalue[r][g]);
    }
  }
}

}  // namespace

void backward_keys(const AttentionBackward& op, const BackwardScratch& scratch, const AttentionTiles& tiles,
                   const CudaContext& context) {
  const AttentionShape& shape = op.attention.shape;
  with_heads(shape, [&]<class Heads>(Heads) {
    launch(key_tile<Heads>, dim3(static_cast<unsigned>(tiles.capacity()), static_cast<unsigned>(shape.key_heads)),
           BlockShape<Heads>::kThreads, key_tile_floats<Heads>(shape) * sizeof(float), context, op, scratch,
           tiles.list(), tiles.count());
  });
}

}  // namespace phasor::cuda
