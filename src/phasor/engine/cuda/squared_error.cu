#include <climits>

#include "phasor/engine/cuda/cuda_backend.h"
#include "phasor/engine/cuda/products.h"

namespace phasor {
namespace cuda {
namespace {

constexpr int kRowsPerBlock = 4;
constexpr int kThreads = kRowsPerBlock * kWarp;
constexpr int64_t kRangeRows = 128;  // of one partial sum of the weight's gradient

__device__ int32_t nearest_whole(double value) {
  if (isnan(value)) return INT_MIN;
  const double below = floor(fmin(fmax(value, static_cast<double>(INT_MIN)), static_cast<double>(INT_MAX)));
  return static_cast<int32_t>(value - below >= 0.5 && below < INT_MAX ? below + 1.0 : below);
}

// A warp per row; dy[r] is the gradient by the row's number.
template <class X, class Dx>
__global__ __launch_bounds__(kThreads) void error_rows(LinearSquaredError op, float* row_gradient) {
  const int64_t rows = used_rows(op.rows, op.x.rows());
  const int64_t width = op.x.columns();
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const X* weight = op.weight.row<X>(0);
  for (int64_t r = int64_t{blockIdx.x} * kRowsPerBlock + threadIdx.x / kWarp; r < rows;
       r += int64_t{gridDim.x} * kRowsPerBlock) {
    const X* x = op.x.row<X>(r);
    float y = 0.0f;
    for (int64_t c = lane; c < width; c += kWarp) y = fmaf(to_float(x[c]), to_float(weight[c]), y);
    y = warp_sum(y) + (op.bias.empty() ? 0.0f : op.bias(0));
    const float row_weight = op.target_weight(r);
    const bool scored = row_weight != 0.0f;
    // (value - target) / unit without the detour over the value, which would cost digits far from 0.
    const double wanted = scored ? (static_cast<double>(op.targets(r)) - double{op.centre}) / double{op.unit} : 0.0;
    const float error = scored ? static_cast<float>(double{y} - wanted) : 0.0f;
    if (lane == 0) {
      op.prediction(r) = nearest_whole(double{op.centre} + double{op.unit} * double{y});
      op.loss(r) = error * error;
    }
    if (row_gradient == nullptr) continue;
    const float dy = 2.0f * row_weight * error;
    if (lane == 0) row_gradient[r] = dy;
    Dx* dx = op.dx.row<Dx>(r);
    for (int64_t c = lane; c < width; c += kWarp) write(dx[c], dy * to_float(weight[c]));
  }
}

// partial[range] = the gradient by the weight and behind it the one by the bias; a thread per number.
template <class X>
__global__ void error_partials(LinearSquaredError op, const float* row_gradient, float* partial) {
  const int64_t rows = used_rows(op.rows, op.x.rows());
  const int64_t width = op.x.columns();
  const int64_t begin = int64_t{blockIdx.x} * kRangeRows;
  const int64_t end = min(rows, begin + kRangeRows);
  const int64_t c = int64_t{blockIdx.y} * blockDim.x + threadIdx.x;
  if (begin >= rows || c > width) return;
  float sum = 0.0f;
  for (int64_t r = begin; r < end; ++r) {
    sum = c < width ? fmaf(row_gradient[r], to_float(op.x.row<X>(r)[c]), sum) : sum + row_gradient[r];
  }
  partial[int64_t{blockIdx.x} * (width + 1) + c] = sum;
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const LinearSquaredError& op) {
  using namespace cuda;
  const int64_t capacity = op.x.rows(), width = op.x.columns();
  if (capacity == 0) return;
  const bool gradient = !op.dx.empty();
  const ScratchArray<float> row_gradient(context(), gradient ? capacity : 0);
  with_element(op.x.dtype(), [&]<class X>(X*) {
    with_element(op.dx.dtype(), [&]<class Dx>(Dx*) {
      error_rows<X, Dx><<<grid_of(capacity, kRowsPerBlock), kThreads, 0, context().stream>>>(op, row_gradient.data());
    });
    PHASOR_CUDA_LAUNCHED();
    if (!gradient) return;
    const int64_t ranges = chunks_of(capacity, kRangeRows);
    const ScratchArray<float> partial(context(), ranges * (width + 1));
    const dim3 grid(static_cast<unsigned>(ranges), static_cast<unsigned>(chunks_of(width + 1, kThreads)));
    error_partials<X><<<grid, kThreads, 0, context().stream>>>(op, row_gradient.data(), partial.data());
    PHASOR_CUDA_LAUNCHED();
    const RowSpan span{op.rows.used, 0, capacity};
    add_partial_sums(context(), op.dweight.data(), width, width, width, partial.data(), width + 1, span, kRangeRows);
    if (op.dbias.empty()) return;
    add_partial_sums(context(), op.dbias.data(), 1, 1, 1, partial.data() + width, width + 1, span, kRangeRows);
  });
}

}  // namespace phasor
