// Attention of one sequence with everything materialised, by plain loops in double: the oracle for the fused kernels
// and the exporter's source. A block takes one query of one head.
#include <math_constants.h>

#include <algorithm>

#include "phasor/engine/cuda/attention.h"
#include "phasor/engine/cuda/attention_head.h"
#include "phasor/engine/cuda/dropout.h"

namespace phasor::cuda {
namespace {

constexpr int kThreads = 128;

// The same in every thread, in one fixed order. `work` is shared memory.
template <class Combine>
__device__ double reduce_block(double value, double* work, const Combine& combine) {
  for (int step = kWarp / 2; step > 0; step /= 2) {
    value = combine(value, __shfl_xor_sync(kAllLanes, value, step));
  }
  __syncthreads();
  if (threadIdx.x % kWarp == 0) work[threadIdx.x / kWarp] = value;
  __syncthreads();
  double all = work[0];
  for (int w = 1; w < kThreads / kWarp; ++w) all = combine(all, work[w]);
  return all;
}

__device__ double sum_block(double value, double* work) {
  return reduce_block(value, work, [](double a, double b) { return a + b; });
}

__device__ double turned_channel(const HeadTurn& turn, const HeadChannels& channels, int64_t token, int64_t c) {
  return turn.turned<false, double>(token, c, [&](int64_t at) { return double{channels.at(token, at)}; });
}

__device__ double logit(const Attention& a, const HeadPlace& place, const double* query, int64_t i, int64_t j) {
  const HeadTurn turn(a.rotation.key, a, place);
  const HeadChannels channels = key_channels(a, place);
  double dot = 0.0;
  for (int64_t c = 0; c < a.shape.key_width; ++c) {
    dot += query[c] * turned_channel(turn, channels, place.first + j, c);
  }
  const double scale = double{a.scale} * (a.head_scale.empty() ? 1.0 : double{a.head_scale(place.head)});
  double bias = 0.0;
  if (!a.bias.table.empty()) {
    const int64_t here = bias_position(a, place.first + i);
    const int64_t there = bias_position(a, place.first + j);
    bias = a.bias.table(bias_row(a, place) + (a.bias.rows > 1 ? here : 0), a.bias.reach + there - here);
  }
  return scale * dot + bias;
}

// weights[j] of query i, 0 where masked. `query` gets the turned query, both in memory of the block's own.
__device__ void weights_of(double* weights, double* query, const Attention& a, const HeadPlace& place, int64_t i,
                           const View<float, 3>& logits, double* work) {
  const HeadTurn turn(a.rotation.query, a, place);
  const HeadChannels channels = query_channels(a, place);
  for (int64_t c = threadIdx.x; c < a.shape.key_width; c += kThreads) {
    query[c] = turned_channel(turn, channels, place.first + i, c);
  }
  __syncthreads();
  double peak = -CUDART_INF;
  for (int64_t j = threadIdx.x; j < place.length; j += kThreads) {
    weights[j] = a.causal && j > i ? -CUDART_INF : logit(a, place, query, i, j);
    if (!logits.empty()) logits(place.head, i, j) = static_cast<float>(weights[j]);
    peak = fmax(peak, weights[j]);
  }
  peak = reduce_block(peak, work, [](double x, double y) { return fmax(x, y); });
  double sum = 0.0;
  for (int64_t j = threadIdx.x; j < place.length; j += kThreads) sum += weights[j] = exp(weights[j] - peak);
  sum = sum_block(sum, work);
  for (int64_t j = threadIdx.x; j < place.length; j += kThreads) weights[j] /= sum;
  __syncthreads();
}

__device__ double dropout_factor(const DropoutMask& mask, const HeadPlace& place, int64_t i, int64_t j) {
  if (!mask.active()) return 1.0;
  const uint64_t index =
      (static_cast<uint64_t>(place.sequence) << 40) + (static_cast<uint64_t>(i) << 20) + static_cast<uint64_t>(j);
  return mask.keeps(index) ? double{mask.keep_scale()} : 0.0;
}

__global__ void __launch_bounds__(kThreads)
    dense_forward_row(const __grid_constant__ AttentionDenseForward op, double* rows, int64_t capacity) {
  __shared__ double work[kThreads / kWarp];
  extern __shared__ double query[];
  const Attention& a = op.attention;
  const HeadPlace place(a, op.sequence, blockIdx.y);
  const int64_t i = blockIdx.x;
  if (i >= place.length) return;
  double* weights = rows + (place.head * capacity + i) * capacity;
  weights_of(weights, query, a, place, i, op.logits, work);
  for (int64_t j = threadIdx.x; j < place.length && !op.weights.empty(); j += kThreads) {
    op.weights(place.head, i, j) = static_cast<float>(weights[j]);
  }
  const HeadTurn turn(a.rotation.key, a, place);
  const HeadChannels channels = key_channels(a, place);
  for (int64_t c = threadIdx.x; c < a.shape.key_width; c += kThreads) {
    if (!op.turned_query.empty()) op.turned_query(place.head, i, c) = static_cast<float>(query[c]);
    if (!op.turned_key.empty()) {
      op.turned_key(place.head, i, c) = static_cast<float>(turned_channel(turn, channels, place.first + i, c));
    }
  }
  if (op.out.empty()) return;
  const DropoutMask mask(a.dropout, static_cast<uint32_t>(place.head));
  for (int64_t j = threadIdx.x; j < place.length; j += kThreads) {
    if (weights[j] != 0.0) weights[j] *= dropout_factor(mask, place, i, j);
  }
  __syncthreads();
  const int64_t width = a.shape.value_width;
  for (int64_t c = threadIdx.x; c < width; c += kThreads) {
    double sum = 0.0;
    for (int64_t j = 0; j < place.length; ++j) {
      if (weights[j] == 0.0) continue;
      sum += weights[j] * double{read_at(a.value, place.first + j, place.key_head * width + c)};
    }
    op.out(place.head, i, c) = static_cast<float>(sum);
  }
}

__global__ void __launch_bounds__(kThreads)
    dense_backward_row(const __grid_constant__ AttentionDenseBackward op, double* rows, int64_t capacity) {
  __shared__ double work[kThreads / kWarp];
  extern __shared__ double query[];
  const Attention& a = op.attention;
  const HeadPlace place(a, op.sequence, blockIdx.y);
  const int64_t i = blockIdx.x;
  if (i >= place.length) return;
  double* weights = rows + 2 * (place.head * capacity + i) * capacity;
  double* dweights = weights + capacity;
  weights_of(weights, query, a, place, i, {}, work);
  const DropoutMask mask(a.dropout, static_cast<uint32_t>(place.head));
  const int64_t width = a.shape.value_width;
  double back = 0.0;
  for (int64_t j = threadIdx.x; j < place.length; j += kThreads) {
    double dot = 0.0;
    for (int64_t c = 0; c < width && weights[j] != 0.0; ++c) {
      dot += double{read_at(op.dout, place.first + i, place.head * width + c)} *
             double{read_at(a.value, place.first + j, place.key_head * width + c)};
    }
    dweights[j] = weights[j] == 0.0 ? 0.0 : dot * dropout_factor(mask, place, i, j);
    back += weights[j] * dweights[j];
  }
  back = sum_block(back, work);
  for (int64_t j = threadIdx.x; j < place.length; j += kThreads) {
    op.dlogits(place.head, i, j) = static_cast<float>(weights[j] * (dweights[j] - back));
  }
}

template <class Op>
void launch_rows(void (*kernel)(Op, double*, int64_t), const Op& op, int64_t n, int64_t doubles,
                 const CudaContext& context) {
  if (n == 0) return;
  const AttentionShape& shape = op.attention.shape;
  const ScratchArray<double> rows(context, doubles * shape.heads * n * n);
  const size_t bytes = static_cast<size_t>(shape.key_width) * sizeof(double);
  PHASOR_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  kernel<<<dim3(static_cast<unsigned>(n), static_cast<unsigned>(shape.heads)), kThreads, bytes, context.stream>>>(
      op, rows.data(), n);
  PHASOR_CUDA_LAUNCHED();
}

}  // namespace

void attention_dense_forward(const AttentionDenseForward& op, const CudaContext& context) {
  // The sequence's length is data; any output knows it.
  int64_t n = 0;
  for (const View<float, 3>* view : {&op.logits, &op.weights, &op.turned_query, &op.turned_key, &op.out}) {
    if (!view->empty()) n = std::max(n, view->extent(1));
  }
  launch_rows(dense_forward_row, op, n, 1, context);
}

void attention_dense_backward(const AttentionDenseBackward& op, const CudaContext& context) {
  launch_rows(dense_backward_row, op, op.dlogits.empty() ? 0 : op.dlogits.extent(1), 2, context);
}

}  // namespace phasor::cuda
