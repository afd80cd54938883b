// The gradients by queries: a block takes a tile of queries of one head and goes through the keys.
#include "phasor/engine/cuda/attention_gradients.h"

namespace phasor::cuda {
namespace {

template <class Heads>
__global__ void __launch_bounds__(BlockShape<Heads>::kThreads)
    query_tile(const __grid_constant__ AttentionBackward op, const BackwardScratch scratch, const AttentionTile* tiles,
               const int32_t* tile_count) {
  constexpr int kOwn = Heads::kRowsPerWarp;
  constexpr int kRows = BlockShape<Heads>::kRows;
  if (blockIdx.x >= *tile_count) return;
  const AttentionTile tile = tiles[blockIdx.x];
  const Attention& a = op.attention;
  const HeadPlace place(a, tile.sequence, blockIdx.y);
  const int width = a.shape.key_width;
  const int stride = row_stride(width);
  extern __shared__ float4 shared[];
  float* memory = reinterpret_cast<float*>(shared);
  const OwnQueries<Heads> own(op, place, scratch, tile.begin, memory);
  float* dscores = memory + OwnQueries<Heads>::floats(a.shape) + this_warp() * kOwn * kWarp;  // the warp's own

  float sums[kOwn][Heads::kGroups] = {};
  const int64_t keys = a.causal ? min(place.length, int64_t{tile.begin} + kRows) : place.length;
  for (int64_t begin = 0; begin < keys; begin += kWarp) {
    own.load_keys(begin);
    float mine[kOwn];
    own.gradients(mine, begin);
#pragma unroll
    for (int r = 0; r < kOwn; ++r) dscores[r * kWarp + this_lane()] = mine[r];
    __syncwarp();
    add_products(sums, dscores, own.key, static_cast<int>(min(int64_t{kWarp}, keys - begin)), width, stride);
  }
  __syncthreads();
  float* gradient = own.key;  // the keys are done with
  store_sums(gradient, sums, width, stride);
  __syncthreads();

  const int64_t rows = min(int64_t{kRows}, place.length - tile.begin);
  // The loaded query holds the logit scale, so its gradient does not yet.
  if (scratch.query_frequencies != nullptr) {
    const int64_t share = a.rotation.axes * a.rotation.query.extent(2);
    sum_frequencies(scratch.query_frequencies + (int64_t{blockIdx.x} * a.shape.heads + place.head) * share, gradient,
                    stride, own.query, stride, rows, a.rotation.query, a, place, tile.begin);
  }
  const HeadTurn turn(a.rotation.query, a, place);
  const float scale = logit_scale(a, place.head);
  const int shared_width = a.shape.shared_query_width;
  const int own_width = width - shared_width;
  for (int i = static_cast<int>(threadIdx.x); i < rows * width; i += static_cast<int>(blockDim.x)) {
    const int r = i / width;
    const int c = i % width;
    const int64_t token = place.first + tile.begin + r;
    const float g =
        turn.turned<true, float>(token, c, [&](int64_t channel) { return scale * gradient[r * stride + channel]; });
    if (c < own_width) {
      write_at(op.dquery, token, place.head * own_width + c, g);
    } else {
      const int64_t at = (place.head * a.sequences.positions.extent(0) + token) * shared_width + c - own_width;
      scratch.dshared_query[at] = g;
    }
  }
}

}  // namespace

void backward_queries(const AttentionBackward& op, const BackwardScratch& scratch, const AttentionTiles& tiles,
                      const CudaContext& context) {
  const AttentionShape& shape = op.attention.shape;
  with_heads(shape, [&]<class Heads>(Heads) {
    const int floats = OwnQueries<Heads>::floats(shape) + BlockShape<Heads>::kRows * kWarp;
    launch(query_tile<Heads>, dim3(static_cast<unsigned>(tiles.capacity()), static_cast<unsigned>(shape.heads)),
           BlockShape<Heads>::kThreads, floats * sizeof(float), context, op, scratch, tiles.list(), tiles.count());
  });
}

}  // namespace phasor::cuda
