#include <cfloat>

#include "phasor/engine/cuda/cuda_backend.h"
#include "phasor/engine/cuda/products.h"

namespace phasor {
namespace cuda {
namespace {

// Logits exist for one block of rows at a time, of about this many numbers.
constexpr int64_t kBlockLogits = 1 << 25;
constexpr int kRowsPerBlock = 4;
constexpr int kThreads = kRowsPerBlock * kWarp;

struct Peak {
  float value;
  int64_t at;
};

// The larger one, the first on ties.
__device__ Peak better(const Peak& a, const Peak& b) {
  return b.value > a.value || (b.value == a.value && b.at < a.at) ? b : a;
}

struct StoreLogit {
  static constexpr int kOutputs = 0;
  float* logits;
  int64_t stride;
  const float* bias;
  __device__ void operator()(int64_t row, int64_t column, float value) const {
    logits[row * stride + column] = bias != nullptr ? value + bias[column] : value;
  }
  __device__ void pair(int64_t row, int64_t column, float first, float second) const {
    if (bias != nullptr) {
      first += bias[column];
      second += bias[column + 1];
    }
    write_pair(logits + row * stride + column, first, second);
  }
};

// A warp per row: loss and prediction, and dlogits = weight * (softmax - one hot), which may be the logits themselves.
template <class T>
__global__ __launch_bounds__(kThreads) void finish_rows(LinearCrossEntropy op, const float* logits, T* dlogits,
                                                        RowSpan span) {
  const int64_t rows = span.count();
  const int64_t classes = op.weight.rows();
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  for (int64_t r = int64_t{blockIdx.x} * kRowsPerBlock + threadIdx.x / kWarp; r < rows;
       r += int64_t{gridDim.x} * kRowsPerBlock) {
    const float* z = logits + r * classes;
    const int64_t index = span.first + r;
    const float weight = op.target_weight(index);
    const bool scored = weight != 0.0f;
    const int64_t target = scored ? op.targets(index) : 0;
    Peak peak{-INFINITY, classes};
    for (int64_t c = lane; c < classes; c += kWarp) peak = better(peak, {z[c], c});
    for (int step = kWarp / 2; step > 0; step /= 2) {
      const Peak other{__shfl_xor_sync(kAllLanes, peak.value, step), __shfl_xor_sync(kAllLanes, peak.at, step)};
      peak = better(peak, other);
    }
    const float largest = peak.value;
    const float target_logit = scored ? z[target] - largest : 0.0f;
    float sum = 0.0f;
    for (int64_t c = lane; c < classes; c += kWarp) sum += expf(z[c] - largest);
    sum = warp_sum(sum);
    if (lane == 0) {
      op.loss(index) = scored ? logf(sum) - target_logit : 0.0f;
      op.prediction(index) = peak.at < classes ? static_cast<int32_t>(peak.at) : 0;  // nothing but NaN: 0
    }
    if (dlogits == nullptr) continue;
    const float scale = weight / sum;
    for (int64_t c = lane; c < classes; c += kWarp) {
      const float share = expf(z[c] - largest) * scale;
      write(dlogits[r * classes + c], scored && c == target ? share - weight : share);
    }
  }
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const LinearCrossEntropy& op) {
  using namespace cuda;
  const int64_t capacity = op.x.rows(), classes = op.weight.rows();
  if (capacity == 0) return;
  const bool gradient = !op.dx.empty();
  const int64_t block_rows =
      std::min(capacity, std::max<int64_t>(1, kBlockLogits / classes / kProductTile) * kProductTile);
  const ScratchArray<float> logits(context(), block_rows * classes);
  const bool narrow = op.x.dtype() == Dtype::bf16;
  const Scratch narrow_dlogits(context(), gradient && narrow ? static_cast<size_t>(block_rows * classes) * 2 : 0);

  for (int64_t first = 0; first < capacity; first += block_rows) {
    const RowSpan span{op.rows.used, first, std::min(block_rows, capacity - first)};
    const ConstMatrix x = op.x.row_range(first, span.capacity);
    with_element(op.x.dtype(), [&]<class T>(T*) {
      product_with_rows<T>(context(), x, op.weight, span, StoreLogit{logits.data(), classes, op.bias.data()});
      void* where = narrow ? narrow_dlogits.as<void>() : static_cast<void*>(logits.data());
      T* dlogits = gradient ? static_cast<T*>(where) : nullptr;
      finish_rows<T>
          <<<grid_of(span.capacity, kRowsPerBlock), kThreads, 0, context().stream>>>(op, logits.data(), dlogits, span);
      PHASOR_CUDA_LAUNCHED();
      if (!gradient) return;
      const ConstMatrix dy(dlogits, op.x.dtype(), span.capacity, classes);
      with_element(op.dx.dtype(), [&]<class Dx>(Dx*) {
        product_with_columns<T>(context(), dy, op.weight, span,
                                StoreElement<Dx>{op.dx.row<Dx>(first), op.dx.stride(), false});
      });
      add_weight_sums(context(), {.dweight = op.dweight, .dbias = op.dbias, .dy = dy, .x = x, .span = span});
    });
  }
}

}  // namespace phasor
