#include "phasor/engine/cuda/block_sum.h"
#include "phasor/engine/cuda/cuda_backend.h"

namespace phasor {
namespace cuda {
namespace {

constexpr int kThreads = 256;
constexpr int64_t kNormChunk = 1 << 13;  // elements of one partial sum

__global__ void square_sums(GradientNorm op, double* partial) {
  const int64_t begin = int64_t{blockIdx.x} * kNormChunk;
  const int64_t end = min(op.gradient.size(), begin + kNormChunk);
  double sum = 0.0;
  for (int64_t i = begin + threadIdx.x; i < end; i += kThreads) {
    const double g{op.gradient.data()[i]};
    sum += g * g;
  }
  sum = block_sum<kThreads>(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void root_of_sums(GradientNorm op, const double* partial, int64_t count) {
  double sum = 0.0;
  for (int64_t i = threadIdx.x; i < count; i += kThreads) sum += partial[i];
  sum = block_sum<kThreads>(sum);
  if (threadIdx.x > 0) return;
  op.norm(op.slot == nullptr ? 0 : *op.slot % op.norm.size()) = static_cast<float>(sqrt(sum));
}

__global__ void adam_w(AdamW op) {
  __shared__ float shared_step_size, shared_correction2;
  const float rate = *op.learning_rate;
  if (threadIdx.x == 0) {
    const double step = *op.step;
    const auto correction1 = static_cast<float>(1.0 - pow(static_cast<double>(op.beta1), step));
    shared_correction2 = static_cast<float>(sqrt(1.0 - pow(static_cast<double>(op.beta2), step)));
    shared_step_size = rate / correction1;
  }
  __syncthreads();
  const float step_size = shared_step_size, correction2 = shared_correction2;
  const float decay = 1.0f - rate * op.weight_decay;
  float scale = 1.0f;
  if (op.max_norm > 0.0f) {
    const float norm = op.gradient_norm(*op.step % op.gradient_norm.size());
    if (norm > op.max_norm) scale = op.max_norm / norm;
  }
  float* p = op.parameter.data();
  float* m = op.first_moment.data();
  float* v = op.second_moment.data();
  for (int64_t i = grid_first(); i < op.parameter.size(); i += grid_step()) {
    const float g = op.gradient.data()[i] * scale;
    const float first = op.beta1 * m[i] + (1.0f - op.beta1) * g;
    const float second = op.beta2 * v[i] + (1.0f - op.beta2) * g * g;
    const float denominator = sqrtf(second) / correction2 + op.epsilon;
    m[i] = first;
    v[i] = second;
    p[i] = p[i] * decay - step_size * (first / denominator);
  }
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const GradientNorm& op) {
  const int64_t chunks = std::max<int64_t>(1, cuda::chunks_of(op.gradient.size(), cuda::kNormChunk));
  const cuda::ScratchArray<double> partial(context(), chunks);
  cuda::square_sums<<<static_cast<unsigned>(chunks), cuda::kThreads, 0, context().stream>>>(op, partial.data());
  PHASOR_CUDA_LAUNCHED();
  cuda::root_of_sums<<<1, cuda::kThreads, 0, context().stream>>>(op, partial.data(), chunks);
  PHASOR_CUDA_LAUNCHED();
}

void CudaBackend::run(const AdamW& op) {
  if (op.parameter.size() == 0) return;
  cuda::adam_w<<<cuda::grid_of(op.parameter.size(), cuda::kThreads), cuda::kThreads, 0, context().stream>>>(op);
  PHASOR_CUDA_LAUNCHED();
}

}  // namespace phasor
