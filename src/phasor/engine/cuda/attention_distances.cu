// The gradients by distance: a block takes a run of query tiles of one head and adds their dL to a table of its own,
// row after row, in an order that follows from the tiles alone.
#include <algorithm>

#include "phasor/engine/cuda/attention_distance_tile.h"
#include "phasor/engine/cuda/attention_gradients.h"

namespace phasor::cuda {
namespace {

template <class Heads>
__global__ void __launch_bounds__(BlockShape<Heads>::kThreads)
    distance_run(const __grid_constant__ AttentionBackward op, const BackwardScratch scratch,
                 const AttentionTile* tiles, const int32_t* tile_count) {
  constexpr int kOwn = Heads::kRowsPerWarp;
  constexpr int kRows = BlockShape<Heads>::kRows;
  const Attention& a = op.attention;
  const int64_t head = blockIdx.y;
  const int64_t head_floats = a.bias.rows * op.dbias.extent(1);
  float* run = scratch.distances + int64_t{blockIdx.x} * op.dbias.size();
  for (int64_t first = head * head_floats; first < op.dbias.size(); first += a.shape.heads * head_floats) {
    for (int64_t i = threadIdx.x; i < head_floats; i += blockDim.x) run[first + i] = 0.0f;
  }

  extern __shared__ float4 shared[];
  float* memory = reinterpret_cast<float*>(shared);
  float* dscores = memory + OwnQueries<Heads>::floats(a.shape);  // [kRows, 32]
  __shared__ TilePositions<kRows> positions;
  const int64_t count = *tile_count;
  const int64_t per_run = (count + gridDim.x - 1) / gridDim.x;
  const int64_t last = min(count, (blockIdx.x + 1) * per_run);
  for (int64_t t = blockIdx.x * per_run; t < last; ++t) {
    const AttentionTile tile = tiles[t];
    const HeadPlace place(a, tile.sequence, head);
    __syncthreads();
    const OwnQueries<Heads> own(op, place, scratch, tile.begin, memory);
    const int rows = static_cast<int>(min(int64_t{kRows}, place.length - tile.begin));
    if (threadIdx.x < rows) {
      positions.query[threadIdx.x] = static_cast<int32_t>(bias_position(a, place.first + tile.begin + threadIdx.x));
    }
    float* table = run + bias_row(a, place) * op.dbias.extent(1);
    const int64_t keys = a.causal ? min(place.length, int64_t{tile.begin} + kRows) : place.length;
    for (int64_t begin = 0; begin < keys; begin += kWarp) {
      own.load_keys(begin);
      float mine[kOwn];
      own.gradients(mine, begin);
#pragma unroll
      for (int r = 0; r < kOwn; ++r) dscores[(this_warp() * kOwn + r) * kWarp + this_lane()] = mine[r];
      const int here = static_cast<int>(min(int64_t{kWarp}, place.length - begin));
      if (threadIdx.x < here) {
        positions.key[threadIdx.x] = static_cast<int32_t>(bias_position(a, place.first + begin + threadIdx.x));
      }
      __syncthreads();
      add_tile<kRows>(table, dscores, positions, rows, here, a.bias);
    }
  }
}

__global__ void add_runs(View<float, 2> dbias, const float* distances, int64_t runs) {
  for (int64_t i = grid_first(); i < dbias.size(); i += grid_step()) {
    float& to = dbias(i / dbias.extent(1), i % dbias.extent(1));
    float sum = to;
    for (int64_t run = 0; run < runs; ++run) sum += distances[run * dbias.size() + i];
    to = sum;
  }
}

}  // namespace

void backward_distances(const AttentionBackward& op, const BackwardScratch& scratch, const AttentionTiles& tiles,
                        const CudaContext& context) {
  const AttentionShape& shape = op.attention.shape;
  with_heads(shape, [&]<class Heads>(Heads) {
    const int floats = OwnQueries<Heads>::floats(shape) + BlockShape<Heads>::kRows * kWarp;
    launch(distance_run<Heads>, dim3(static_cast<unsigned>(scratch.chunks), static_cast<unsigned>(shape.heads)),
           BlockShape<Heads>::kThreads, floats * sizeof(float), context, op, scratch, tiles.list(), tiles.count());
  });
}

void add_distances(const AttentionBackward& op, const BackwardScratch& scratch, const CudaContext& context) {
  constexpr int kThreads = 128;
  add_runs<<<grid_of(op.dbias.size(), kThreads), kThreads, 0, context.stream>>>(op.dbias, scratch.distances,
                                                                                scratch.chunks);
  PHASOR_CUDA_LAUNCHED();
}

}  // namespace phasor::cuda
