#include "phasor/engine/cuda/products.h"

namespace phasor::cuda {
namespace {

// Rows of one partial sum: by the widths alone, so that the order of a sum never depends on the machine. Large weights
// have many tiles and want few ranges.
int64_t range_rows_of(int64_t weights) { return weights <= 1 << 14 ? 256 : (weights <= 1 << 18 ? 1024 : 8192); }

template <class T>
__global__ __launch_bounds__(kProductThreads) void weight_partials(Transposed<T> dy, RowMajor<T> x, float* partial,
                                                                   int64_t out, int64_t in, RowSpan span,
                                                                   int64_t range_rows) {
  const int64_t begin = int64_t{blockIdx.z} * range_rows;
  const int64_t rows = span.count();
  if (begin >= rows) return;
  const int64_t end = min(rows, begin + range_rows);
  const int64_t first_row = int64_t{blockIdx.y} * kProductTile;
  const int64_t first_column = int64_t{blockIdx.x} * kProductTile;
  float sums[kProductPatch][kProductPatch] = {};
  tile_product<false, false>(sums, dy, x, first_row, out, first_column, in, begin, end);
  float* to = partial + int64_t{blockIdx.z} * out * in;
  store_tile(sums, first_row, out, first_column, in,
             [=](int64_t o, int64_t i, float value) { to[o * in + i] = value; });
}

constexpr int kColumns = 32;  // of a block that sums columns
constexpr int kRowLanes = 8;

// Each lane sums every eighth row of the range; the lanes are added in order.
template <class T>
__global__ void bias_partials(RowMajor<T> dy, float* partial, int64_t out, RowSpan span, int64_t range_rows) {
  __shared__ float of_lane[kRowLanes][kColumns];
  const int64_t begin = int64_t{blockIdx.y} * range_rows;
  const int64_t rows = span.count();
  if (begin >= rows) return;
  const int64_t end = min(rows, begin + range_rows);
  const int64_t c = int64_t{blockIdx.x} * kColumns + threadIdx.x;
  float sum = 0.0f;
  if (c < out) {
    for (int64_t r = begin + threadIdx.y; r < end; r += kRowLanes) sum += dy(r, c);
  }
  of_lane[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || c >= out) return;
  for (int lane = 1; lane < kRowLanes; ++lane) sum += of_lane[lane][threadIdx.x];
  partial[int64_t{blockIdx.y} * out + c] = sum;
}

__global__ void add_partials(float* to, int64_t to_stride, int64_t columns, int64_t size, const float* partial,
                             int64_t partial_stride, RowSpan span, int64_t range_rows) {
  const int64_t ranges = (span.count() + range_rows - 1) / range_rows;
  if (ranges == 0) return;
  for (int64_t i = grid_first(); i < size; i += grid_step()) {
    float* element = to + i / columns * to_stride + i % columns;
    float sum = *element;
    for (int64_t range = 0; range < ranges; ++range) sum += partial[range * partial_stride + i];
    *element = sum;
  }
}

}  // namespace

void add_partial_sums(const CudaContext& context, float* to, int64_t to_stride, int64_t columns, int64_t size,
                      const float* partial, int64_t partial_stride, const RowSpan& span, int64_t range_rows) {
  if (size == 0) return;
  constexpr int kThreads = 128;
  add_partials<<<grid_of(size, kThreads), kThreads, 0, context.stream>>>(to, to_stride, columns, size, partial,
                                                                         partial_stride, span, range_rows);
  PHASOR_CUDA_LAUNCHED();
}

void add_weight_sums(const CudaContext& context, const WeightSums& sums) {
  const int64_t out = sums.dweight.extent(0), in = sums.dweight.extent(1);
  if (sums.span.capacity == 0 || out == 0) return;
  if (sums.dy.dtype() == Dtype::bf16 && in > 0) return add_tensor_weight_sums(context, sums);
  const int64_t range_rows = range_rows_of(out * in);
  const int64_t ranges = chunks_of(sums.span.capacity, range_rows);
  if (ranges > 65535) fail_text("a weight gradient over more rows than CUDA has blocks for");
  const auto z = static_cast<unsigned>(ranges);
  with_element(sums.dy.dtype(), [&]<class T>(T*) {
    if (in > 0) {
      const ScratchArray<float> partial(context, ranges * out * in);
      const dim3 grid(static_cast<unsigned>(chunks_of(in, kProductTile)),
                      static_cast<unsigned>(chunks_of(out, kProductTile)), z);
      weight_partials<<<grid, kProductThreads, 0, context.stream>>>(transposed<T>(sums.dy), row_major<T>(sums.x),
                                                                    partial.data(), out, in, sums.span, range_rows);
      PHASOR_CUDA_LAUNCHED();
      add_partial_sums(context, sums.dweight.data(), sums.dweight.stride(0), in, out * in, partial.data(), out * in,
                       sums.span, range_rows);
    }
    if (sums.dbias.empty()) return;
    const ScratchArray<float> partial(context, ranges * out);
    const dim3 grid(static_cast<unsigned>(chunks_of(out, kColumns)), z);
    bias_partials<<<grid, dim3(kColumns, kRowLanes), 0, context.stream>>>(row_major<T>(sums.dy), partial.data(), out,
                                                                          sums.span, range_rows);
    PHASOR_CUDA_LAUNCHED();
    add_partial_sums(context, sums.dbias.data(), out, out, out, partial.data(), out, sums.span, range_rows);
  });
}

}  // namespace phasor::cuda
