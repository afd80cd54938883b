// Pooling. A block per sequence, a thread per channel: tokens are added in their order, as on the CPU.
#include "phasor/engine/cuda/cuda_backend.h"
#include "phasor/engine/cuda/elements.h"

namespace phasor {
namespace cuda {
namespace {

constexpr int kThreads = 128;

struct Span {
  int64_t first, last;
};

__device__ Span tokens_of(const Sequences& sequences, int64_t s) {
  return {sequences.offsets(s), sequences.offsets(s + 1)};
}

__device__ float mean_scale(const Span& tokens) {
  return tokens.last > tokens.first ? 1.0f / static_cast<float>(tokens.last - tokens.first) : 0.0f;
}

__device__ int64_t picked_row(const Sequences& sequences, const View<const int32_t, 1>& place, int64_t s) {
  return place(s) >= 0 ? sequences.offsets(s) + place(s) : sequences.offsets(s + 1) + place(s);
}

template <class T>
__global__ void mean_pool_forward(MeanPoolForward op) {
  for (int64_t s = blockIdx.x; s < *op.sequences.count; s += gridDim.x) {
    const Span tokens = tokens_of(op.sequences, s);
    const float scale = mean_scale(tokens);
    for (int64_t c = threadIdx.x; c < op.pooled.extent(1); c += kThreads) {
      float sum = 0.0f;
      for (int64_t t = tokens.first; t < tokens.last; ++t) sum += to_float(op.x.row<T>(t)[c]);
      op.pooled(s, c) = sum * scale;
    }
  }
}

template <class T>
__global__ void mean_pool_backward(MeanPoolBackward op) {
  for (int64_t s = blockIdx.x; s < *op.sequences.count; s += gridDim.x) {
    const Span tokens = tokens_of(op.sequences, s);
    const float scale = mean_scale(tokens);
    for (int64_t c = threadIdx.x; c < op.dpooled.extent(1); c += kThreads) {
      const float dx = op.dpooled(s, c) * scale;
      for (int64_t t = tokens.first; t < tokens.last; ++t) write(op.dx.row<T>(t)[c], dx);
    }
  }
}

template <class T>
__global__ void pick_token_forward(PickTokenForward op) {
  for (int64_t s = blockIdx.x; s < *op.sequences.count; s += gridDim.x) {
    const T* x = op.x.row<T>(picked_row(op.sequences, op.place, s));
    for (int64_t c = threadIdx.x; c < op.picked.extent(1); c += kThreads) op.picked(s, c) = to_float(x[c]);
  }
}

template <class T>
__global__ void pick_token_backward(PickTokenBackward op) {
  for (int64_t s = blockIdx.x; s < *op.sequences.count; s += gridDim.x) {
    const Span tokens = tokens_of(op.sequences, s);
    const int64_t picked = picked_row(op.sequences, op.place, s);
    for (int64_t c = threadIdx.x; c < op.dpicked.extent(1); c += kThreads) {
      const float dx = op.dpicked(s, c);
      for (int64_t t = tokens.first; t < tokens.last; ++t) write(op.dx.row<T>(t)[c], t == picked ? dx : 0.0f);
    }
  }
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const MeanPoolForward& op) {
  if (op.pooled.size() == 0) return;
  cuda::with_element(op.x.dtype(), [&]<class T>(T*) {
    cuda::mean_pool_forward<T><<<cuda::grid_of(op.pooled.extent(0), 1), cuda::kThreads, 0, context().stream>>>(op);
  });
  PHASOR_CUDA_LAUNCHED();
}

void CudaBackend::run(const MeanPoolBackward& op) {
  if (op.dpooled.size() == 0) return;
  cuda::with_element(op.dx.dtype(), [&]<class T>(T*) {
    cuda::mean_pool_backward<T><<<cuda::grid_of(op.dpooled.extent(0), 1), cuda::kThreads, 0, context().stream>>>(op);
  });
  PHASOR_CUDA_LAUNCHED();
}

void CudaBackend::run(const PickTokenForward& op) {
  if (op.picked.size() == 0) return;
  cuda::with_element(op.x.dtype(), [&]<class T>(T*) {
    cuda::pick_token_forward<T><<<cuda::grid_of(op.picked.extent(0), 1), cuda::kThreads, 0, context().stream>>>(op);
  });
  PHASOR_CUDA_LAUNCHED();
}

void CudaBackend::run(const PickTokenBackward& op) {
  if (op.dpicked.size() == 0) return;
  cuda::with_element(op.dx.dtype(), [&]<class T>(T*) {
    cuda::pick_token_backward<T><<<cuda::grid_of(op.dpicked.extent(0), 1), cuda::kThreads, 0, context().stream>>>(op);
  });
  PHASOR_CUDA_LAUNCHED();
}

}  // namespace phasor
