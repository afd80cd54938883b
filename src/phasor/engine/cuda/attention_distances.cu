// The gradients by distance: a block takes a run of query tiles of one head and adds their dL to a table of its own,
// row after row, in an order that follows from the tiles alone.
#include <algorithm>

#include "phasor/engine/cuda/attention_gradients.h"

namespace phasor::cuda {
namespace {

// Positions on the bias's axis of the rows at hand, in shared memory.
template <int Rows>
struct TilePositions {
  int32_t query[Rows], key[kWarp];
};

// row[p_j] += the lane's value, for one row of dL; lanes of equal p_j are added first, in order.
__device__ void add_row(float* row, int32_t key_position, float value, bool valid) {
  const int lane = this_lane();
  // Positions are not negative: lanes without a key are each alone.
  const unsigned alike = __match_any_sync(kAllLanes, valid ? key_position : -1 - lane);
  float sum = value;
  if (__any_sync(kAllLanes, __popc(alike) > 1)) {
    for (int k = 1; k < kWarp; ++k) {
      const float other = __shfl_sync(kAllLanes, value, k);
      if (k > lane && (alike >> k & 1u) != 0) sum += other;
    }
  }
  if (valid && lane == __ffs(static_cast<int>(alike)) - 1) row[key_position] += sum;
}

// One tile of dL, [rows, 32] in shared memory, into a table [bias rows, 2 reach + 1]. Every thread calls it.
template <int Rows>
__device__ void add_tile(float* table, const float* dscores, const TilePositions<Rows>& at, int rows, int keys,
                         const DistanceBias& bias) {
  const int t = static_cast<int>(threadIdx.x);
  const int64_t columns = 2 * int64_t{bias.reach} + 1;
  if (bias.rows == 1) {
    // Where positions run on by one, a thread takes a diagonal of the tile.
    const bool runs_on = (t >= rows || at.query[t] == at.query[0] + t) && (t >= keys || at.key[t] == at.key[0] + t);
    if (__syncthreads_and(runs_on) != 0) {
      const int diagonal = t - (Rows - 1);
      float sum = 0.0f;
      bool any = false;
      for (int r = 0; r < rows; ++r) {
        const int j = r + diagonal;
        if (j < 0 || j >= keys) continue;
        any = true;
        sum += dscores[r * kWarp + j];
      }
      if (any) table[bias.reach + at.key[0] - at.query[0] + diagonal] += sum;
      return;
    }
  } else {
    // Queries of different positions have rows of their own.
    bool alone = true;
    for (int r = 0; r < min(t, rows); ++r) alone = alone && (t >= rows || at.query[r] != at.query[t]);
    if (__syncthreads_and(alone) != 0) {
      for (int r = this_warp(); r < rows; r += static_cast<int>(blockDim.x) / kWarp) {
        const int lane = this_lane();
        add_row(table + at.query[r] * columns + bias.reach - at.query[r], at.key[lane], dscores[r * kWarp + lane],
                lane < keys);
      }
      return;
    }
  }
  if (this_warp() != 0) return;
  for (int r = 0; r < rows; ++r) {
    const int lane = this_lane();
    const int64_t first = bias.rows > 1 ? at.query[r] * columns : 0;
    add_row(table + first + bias.reach - at.query[r], at.key[lane], dscores[r * kWarp + lane], lane < keys);
    __syncwarp();
  }
}

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
