// A warp per row. Sums over a row run over each lane's columns in order, then over the lanes in one fixed pattern.
#include "phasor/engine/cuda/cuda_backend.h"
#include "phasor/engine/cuda/dropout.h"
#include "phasor/engine/cuda/products.h"

namespace phasor {
namespace cuda {
namespace {

constexpr int kRowsPerBlock = 4;
constexpr int kNormThreads = kRowsPerBlock * kWarp;
constexpr int64_t kRangeRows = 64;  // of one partial sum of a weight's gradient

// f(column, keep bit) for the columns of this lane, four by four; two lanes share a Philox block.
template <class F>
__device__ void for_lane_columns(const DropoutMask& mask, int64_t row, int64_t width, const F& f) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int64_t first = row * width;
  for (int64_t block = first / 4 + lane; block * 4 < first + width; block += kWarp) {
    const unsigned bits =
        mask.active() ? mask.keep_bits(static_cast<uint64_t>(block / 2)) >> static_cast<unsigned>(block % 2 * 4) : 0xfu;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int64_t c = block * 4 + i - first;
      if (c >= 0 && c < width) f(c, (bits >> i & 1u) != 0);
    }
  }
}

// f(column) for the columns of this lane, four by four from the row's first one: a sum over a row must not depend on
// where the row stands, as the blocks of dropout do where the width is no multiple of four.
template <class F>
__device__ void for_lane_columns(int64_t width, const F& f) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  for (int64_t first = 4 * lane; first < width; first += 4 * kWarp) {
#pragma unroll
    for (int64_t c = first; c < first + 4; ++c) {
      if (c < width) f(c);
    }
  }
}

__device__ int64_t warp_row() { return int64_t{blockIdx.x} * kRowsPerBlock + threadIdx.x / kWarp; }
__device__ int64_t warp_row_step() { return int64_t{gridDim.x} * kRowsPerBlock; }

template <class Branch, class Y>
__global__ __launch_bounds__(kNormThreads) void residual_norm_forward(ResidualNormForward op) {
  const int64_t rows = used_rows(op.rows, op.residual.extent(0));
  const int64_t width = op.residual.extent(1);
  const float scale = 1.0f / static_cast<float>(width);
  const DropoutMask mask(op.dropout);
  for (int64_t r = warp_row(); r < rows; r += warp_row_step()) {
    const float* x = op.residual.row(r);
    if (!op.branch.empty()) {
      float* sum = op.sum.row(r);
      const float* residual = op.residual.row(r);
      const Branch* branch = op.branch.row<Branch>(r);
      const float keep = mask.active() ? mask.keep_scale() : 1.0f;
      for_lane_columns(mask, r, width, [&](int64_t c, bool kept) {
        sum[c] = residual[c] + (kept ? to_float(branch[c]) * keep : 0.0f);
      });
      __syncwarp();  // lanes read what others wrote
      x = sum;
    }
    if (op.y.empty()) continue;
    float mean = 0.0f;
    if (op.kind == NormKind::layer) {
      float total = 0.0f;
      for_lane_columns(width, [&](int64_t c) { total += x[c]; });
      mean = warp_sum(total) * scale;
    }
    float squares = 0.0f;
    for_lane_columns(width, [&](int64_t c) {
      const float d = x[c] - mean;
      squares += d * d;
    });
    const float rstd = 1.0f / sqrtf(warp_sum(squares) * scale + op.epsilon);
    Y* y = op.y.row<Y>(r);
    const bool layer = op.kind == NormKind::layer;
    for_lane_columns(width, [&](int64_t c) {
      const float normed = (x[c] - mean) * rstd * op.weight.data()[c];
      write(y[c], layer ? normed + op.bias.data()[c] : normed);
    });
    if (threadIdx.x % kWarp != 0) continue;
    if (layer) op.mean(r) = mean;
    op.rstd(r) = rstd;
  }
}

template <class Dy, class Dbranch>
__global__ __launch_bounds__(kNormThreads) void residual_norm_backward(ResidualNormBackward op) {
  const int64_t rows = used_rows(op.rows, op.dsum.extent(0));
  const int64_t width = op.dsum.extent(1);
  const float scale = 1.0f / static_cast<float>(width);
  const bool layer = op.kind == NormKind::layer;
  const DropoutMask mask(op.dropout);
  for (int64_t r = warp_row(); r < rows; r += warp_row_step()) {
    float* dsum = op.dsum.row(r);
    if (!op.dy.empty()) {
      const float* x = op.sum.row(r);
      const Dy* dy = op.dy.row<Dy>(r);
      const float rstd = op.rstd(r);
      const float mean = layer ? op.mean(r) : 0.0f;
      float along = 0.0f, offset = 0.0f;
      for_lane_columns(width, [&](int64_t c) {
        const float g = to_float(dy[c]) * op.weight.data()[c];
        along += g * ((x[c] - mean) * rstd);
        offset += g;
      });
      // The norm forgets the mean (layer norm) and the length of its input: so does its gradient.
      along = warp_sum(along) * scale;
      offset = layer ? warp_sum(offset) * scale : 0.0f;
      for_lane_columns(width, [&](int64_t c) {
        const float g = to_float(dy[c]) * op.weight.data()[c];
        const float normed = (x[c] - mean) * rstd;
        dsum[c] = (op.first ? 0.0f : dsum[c]) + rstd * (g - offset - normed * along);
      });
    } else if (op.first) {
      for_lane_columns(width, [&](int64_t c) { dsum[c] = 0.0f; });
    }
    if (op.dbranch.empty()) continue;
    __syncwarp();  // lanes read what others wrote
    Dbranch* dbranch = op.dbranch.row<Dbranch>(r);
    const float keep = mask.active() ? mask.keep_scale() : 1.0f;
    for_lane_columns(mask, r, width, [&](int64_t c, bool kept) { write(dbranch[c], kept ? dsum[c] * keep : 0.0f); });
  }
}

// partial[range] = the gradients by weight and, behind them, by bias; a thread per column.
template <class Dy>
__global__ void norm_weight_partials(ResidualNormBackward op, float* partial) {
  const int64_t rows = used_rows(op.rows, op.dsum.extent(0));
  const int64_t width = op.dsum.extent(1);
  const bool layer = op.kind == NormKind::layer;
  const int64_t begin = int64_t{blockIdx.x} * kRangeRows;
  const int64_t end = min(rows, begin + kRangeRows);
  const int64_t c = int64_t{blockIdx.y} * blockDim.x + threadIdx.x;
  if (begin >= rows || c >= width) return;
  float dweight = 0.0f, dbias = 0.0f;
  for (int64_t r = begin; r < end; ++r) {
    const float g = to_float(op.dy.row<Dy>(r)[c]);
    dweight += g * ((op.sum(r, c) - (layer ? op.mean(r) : 0.0f)) * op.rstd(r));
    dbias += g;
  }
  float* to = partial + int64_t{blockIdx.x} * 2 * width;
  to[c] = dweight;
  to[width + c] = dbias;
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const ResidualNormForward& op) {
  using namespace cuda;
  if (op.residual.size() == 0) return;
  with_element(op.branch.dtype(), [&]<class Branch>(Branch*) {
    with_element(op.y.dtype(), [&]<class Y>(Y*) {
      residual_norm_forward<Branch, Y>
          <<<grid_of(op.residual.extent(0), kRowsPerBlock), kNormThreads, 0, context().stream>>>(op);
    });
  });
  PHASOR_CUDA_LAUNCHED();
}

void CudaBackend::run(const ResidualNormBackward& op) {
  using namespace cuda;
  if (op.dsum.size() == 0) return;
  const int64_t width = op.dsum.extent(1);
  const RowSpan span{op.rows.used, 0, op.dsum.extent(0)};
  if (!op.dy.empty()) {
    constexpr int kColumns = 128;
    const int64_t ranges = chunks_of(span.capacity, kRangeRows);
    const ScratchArray<float> partial(context(), ranges * 2 * width);
    const dim3 grid(static_cast<unsigned>(ranges), static_cast<unsigned>(chunks_of(width, kColumns)));
    with_element(op.dy.dtype(), [&]<class Dy>(Dy*) {
      norm_weight_partials<Dy><<<grid, kColumns, 0, context().stream>>>(op, partial.data());
    });
    PHASOR_CUDA_LAUNCHED();
    add_partial_sums(context(), op.dweight.data(), width, width, width, partial.data(), 2 * width, span, kRangeRows);
    if (op.kind == NormKind::layer) {
      add_partial_sums(context(), op.dbias.data(), width, width, width, partial.data() + width, 2 * width, span,
                       kRangeRows);
    }
  }
  with_element(op.dy.dtype(), [&]<class Dy>(Dy*) {
    with_element(op.dbranch.dtype(), [&]<class Dbranch>(Dbranch*) {
      residual_norm_backward<Dy, Dbranch>
          <<<grid_of(op.dsum.extent(0), kRowsPerBlock), kNormThreads, 0, context().stream>>>(op);
    });
  });
  PHASOR_CUDA_LAUNCHED();
}

}  // namespace phasor
