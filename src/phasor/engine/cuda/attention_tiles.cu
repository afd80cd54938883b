#include <algorithm>

#include "phasor/engine/cuda/attention_tiles.h"
#include "phasor/engine/cuda/elements.h"

namespace phasor::cuda {
namespace {

constexpr int kThreads = 1024;

__device__ int32_t tiles_of(const Sequences& sequences, int64_t s, int rows, int longer_than) {
  const int32_t length = sequences.offsets(s + 1) - sequences.offsets(s);
  return length > longer_than ? (length + rows - 1) / rows : 0;
}

// One block. A thread takes a run of sequences; the runs' first tiles are a prefix sum over the threads.
__global__ void __launch_bounds__(kThreads)
    list_tiles(Sequences sequences, int rows, int longer_than, AttentionTile* list, int32_t* total) {
  __shared__ int32_t ends[kThreads];
  const int64_t count = *sequences.count;
  const int64_t run = (count + kThreads - 1) / kThreads;
  const int64_t first = min(count, threadIdx.x * run);
  const int64_t last = min(count, first + run);
  int32_t mine = 0;
  for (int64_t s = first; s < last; ++s) mine += tiles_of(sequences, s, rows, longer_than);
  ends[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned step = 1; step < kThreads; step *= 2) {
    const int32_t before = threadIdx.x >= step ? ends[threadIdx.x - step] : 0;
    __syncthreads();
    ends[threadIdx.x] += before;
    __syncthreads();
  }
  int32_t at = ends[threadIdx.x] - mine;
  for (int64_t s = first; s < last; ++s) {
    const int32_t tiles = tiles_of(sequences, s, rows, longer_than);
    for (int32_t t = 0; t < tiles; ++t) list[at++] = {static_cast<int32_t>(s), t * rows};
  }
  if (threadIdx.x == kThreads - 1) *total = ends[threadIdx.x];
}

int64_t tile_capacity(const Sequences& sequences, int rows, int longer_than) {
  // Each sequence may end with a tile that is not full.
  const int64_t tokens = sequences.positions.extent(0);
  const int64_t most = std::min(sequences.offsets.extent(0) - 1, tokens / (longer_than + 1));
  return std::max<int64_t>(1, tokens / rows + most);
}

}  // namespace

AttentionTiles::AttentionTiles(const Sequences& sequences, int rows, int longer_than, const CudaContext& context)
    : capacity_(tile_capacity(sequences, rows, longer_than)), list_(context, capacity_), count_(context, 1) {
  list_tiles<<<1, kThreads, 0, context.stream>>>(sequences, rows, longer_than, list_.data(), count_.data());
  PHASOR_CUDA_LAUNCHED();
}

}  // namespace phasor::cuda
