// The gradients by distance on tensor cores: a block takes a run of query tiles of one head and adds their dL to a
// table of its own.
#include "phasor/engine/cuda/attention_distance_tile.h"
#include "phasor/engine/cuda/attention_tensor_queries.h"

namespace phasor::cuda {
namespace {

constexpr int kHalves = kTensorKeys / kWarp;  // of a tile, as add_tile takes them

size_t distance_bytes(const AttentionShape& shape) {
  return sizeof(bfloat16) * TensorQueries::query_elements(shape) + TensorQueries::other_bytes(shape) +
         sizeof(float) * kHeadRows * kTensorKeys;
}

__global__ void __launch_bounds__(kHeadThreads)
    tensor_distances(const __grid_constant__ AttentionBackward op, const BackwardScratch scratch,
                     const AttentionTile* tiles, const int32_t* tile_count) {
  const Attention& a = op.attention;
  const int64_t head = blockIdx.y;
  const int64_t head_floats = a.bias.rows * op.dbias.extent(1);
  float* run = scratch.distances + int64_t{blockIdx.x} * op.dbias.size();
  for (int64_t at = head * head_floats; at < op.dbias.size(); at += a.shape.heads * head_floats) {
    for (int64_t i = threadIdx.x; i < head_floats; i += kHeadThreads) run[at + i] = 0.0f;
  }

  extern __shared__ float4 shared[];
  float* halves = reinterpret_cast<float*>(shared);  // [kHalves, 64, 32]
  bfloat16* memory = reinterpret_cast<bfloat16*>(halves + kHeadRows * kTensorKeys);
  __shared__ TilePositions<kHeadRows> positions[kHalves];
  const int64_t count = *tile_count;
  const int64_t per_run = (count + gridDim.x - 1) / gridDim.x;
  const int64_t last = min(count, (blockIdx.x + 1) * per_run);
  const int thread = static_cast<int>(threadIdx.x);
  for (int64_t i = blockIdx.x * per_run; i < last; ++i) {
    const AttentionTile tile = tiles[i];
    const HeadPlace place(a, tile.sequence, head);
    __syncthreads();
    const TensorQueries own(op, place, scratch, tile.begin, memory);
    const int n = static_cast<int>(place.length);
    const int rows = min(kHeadRows, n - tile.begin);
    if (thread < rows) {
      const auto position = static_cast<int32_t>(bias_position(a, place.first + tile.begin + thread));
      for (TilePositions<kHeadRows>& half : positions) half.query[thread] = position;
    }
    float* table = run + bias_row(a, place) * op.dbias.extent(1);
    const int keys = a.causal ? min(n, tile.begin + kHeadRows) : n;
    for (int begin = 0; begin < keys; begin += kTensorKeys) {
      const int here = min(kTensorKeys, keys - begin);
      float dscores[kTensorKeyParts][4], weights[kTensorKeyParts][4];
      own.gradients(dscores, weights, begin, here);
#pragma unroll
      for (int p = 0; p < kTensorKeyParts; ++p) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int c = p * 8 + this_lane() % 4 * 2 + e % 2;
          const int r = own.row[e / 2] - tile.begin;
          halves[(c / kWarp * kHeadRows + r) * kWarp + c % kWarp] = dscores[p][e];
        }
      }
      if (thread < here) {
        positions[thread / kWarp].key[thread % kWarp] =
            static_cast<int32_t>(bias_position(a, place.first + begin + thread));
      }
      __syncthreads();
      for (int half = 0; half * kWarp < here; ++half) {
        add_tile<kHeadRows>(table, halves + half * kHeadRows * kWarp, positions[half], rows,
                            min(kWarp, here - half * kWarp), a.bias);
      }
    }
  }
}

}  // namespace

void tensor_backward_distances(const AttentionBackward& op, const BackwardScratch& scratch, const AttentionTiles& tiles,
                               const CudaContext& context) {
  const AttentionShape& shape = op.attention.shape;
  launch(tensor_distances, dim3(static_cast<unsigned>(scratch.chunks), static_cast<unsigned>(shape.heads)),
         kHeadThreads, distance_bytes(shape), context, op, scratch, tiles.list(), tiles.count());
}

}  // namespace phasor::cuda
