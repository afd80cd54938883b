#include "phasor/engine/cuda/cuda_backend.h"
#include "phasor/engine/cuda/elements.h"

namespace phasor {
namespace cuda {
namespace {

constexpr int kThreads = 128;

// The row of the input table that a token reads.
__device__ int64_t input_row(const InputTable& input, const Sequences& sequences, int64_t token) {
  const int64_t position = sequences.positions(token, input.axis);
  if (input.sequence_table.empty()) return position;
  // The last sequence that starts at or before the token; those of length 0 come before it.
  int64_t low = 0, high = *sequences.count;
  while (high - low > 1) {
    const int64_t middle = (low + high) / 2;
    if (sequences.offsets(middle) <= token) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return input.sequence_table(low) * int64_t{input.positions} + position;
}

__global__ void embedding_forward(EmbeddingForward op) {
  const int64_t width = op.y.extent(1), own = op.table.extent(1);
  for (int64_t t = blockIdx.x; t < *op.sequences.tokens; t += gridDim.x) {
    const float* table = op.table.row(op.ids(t));
    const float* input = op.input.table.empty() ? nullptr : op.input.table.row(input_row(op.input, op.sequences, t));
    float* y = op.y.row(t);
    for (int64_t c = threadIdx.x; c < width; c += kThreads) {
      const float value = c < own ? table[c] : 0.0f;
      y[c] = input != nullptr ? value + input[c] : value;
    }
  }
}

__global__ void find_input_rows(InputTable input, Sequences sequences, int32_t* rows) {
  for (int64_t t = grid_first(); t < *sequences.tokens; t += grid_step()) {
    rows[t] = static_cast<int32_t>(input_row(input, sequences, t));
  }
}

// to[r] += dy[t] for the tokens t with row_of[t] == r, in their order. A block per row of the table: it looks through
// the tokens, as many at a time as it has threads, and adds those that are its own.
__global__ __launch_bounds__(kThreads) void scatter_rows(View<float, 2> to, View<const float, 2> dy,
                                                         const int32_t* row_of, const int32_t* token_count) {
  __shared__ int32_t found[kThreads];
  __shared__ int32_t found_by_warp[kThreads / kWarp];
  const int64_t tokens = *token_count, width = to.extent(1);
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  for (int64_t r = blockIdx.x; r < to.extent(0); r += gridDim.x) {
    for (int64_t first = 0; first < tokens; first += kThreads) {
      const int64_t t = first + threadIdx.x;
      const bool mine = t < tokens && row_of[t] == r;
      if (__syncthreads_or(mine) == 0) continue;
      const unsigned lanes = __ballot_sync(kAllLanes, mine);
      if (lane == 0) found_by_warp[warp] = __popc(lanes);
      __syncthreads();
      int before = 0, count = 0;
      for (int w = 0; w < kThreads / kWarp; ++w) {
        if (w < warp) before += found_by_warp[w];
        count += found_by_warp[w];
      }
      if (mine) found[before + __popc(lanes & ((1u << lane) - 1u))] = static_cast<int32_t>(t);
      __syncthreads();
      for (int64_t c = threadIdx.x; c < width; c += kThreads) {
        float sum = to(r, c);
        for (int i = 0; i < count; ++i) sum += dy(found[i], c);
        to(r, c) = sum;
      }
      __syncthreads();
    }
  }
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const EmbeddingForward& op) {
  using namespace cuda;
  if (op.y.size() == 0) return;
  embedding_forward<<<grid_of(op.y.extent(0), 1), kThreads, 0, context().stream>>>(op);
  PHASOR_CUDA_LAUNCHED();
}

void CudaBackend::run(const EmbeddingBackward& op) {
  using namespace cuda;
  if (op.dy.size() == 0) return;
  if (op.dtable.size() > 0) {
    scatter_rows<<<grid_of(op.dtable.extent(0), 1), kThreads, 0, context().stream>>>(op.dtable, op.dy, op.ids.data(),
                                                                                     op.sequences.tokens);
    PHASOR_CUDA_LAUNCHED();
  }
  if (op.dinput.empty() || op.dinput.size() == 0) return;
  const int64_t tokens = op.dy.extent(0);
  const ScratchArray<int32_t> rows(context(), tokens);
  find_input_rows<<<grid_of(tokens, kThreads), kThreads, 0, context().stream>>>(op.input, op.sequences, rows.data());
  PHASOR_CUDA_LAUNCHED();
  scatter_rows<<<grid_of(op.dinput.extent(0), 1), kThreads, 0, context().stream>>>(op.dinput, op.dy, rows.data(),
                                                                                   op.sequences.tokens);
  PHASOR_CUDA_LAUNCHED();
}

}  // namespace phasor
