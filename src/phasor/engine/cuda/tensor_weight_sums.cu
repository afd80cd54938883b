// Gradients by bf16 weights on tensor cores: a block makes a tile of dy^T x over one range of rows, the first one in a
// row of tiles the sums of dy's columns beside it.
#include "phasor/engine/cuda/products.h"

namespace phasor::cuda {
namespace {

// Rows of one partial sum: by the widths alone, so that the order of a sum never depends on the machine. Large weights
// have many tiles and want few ranges.
int64_t range_rows_of(int64_t tiles) { return tiles <= 2 ? 256 : (tiles <= 16 ? 1024 : 4096); }

template <int kColumns>
__global__ void __launch_bounds__(kTensorThreads, 2)
    tensor_weight_partials(TensorOperand dy, TensorOperand x, float* partial, float* bias_partial, int out, int in,
                           RowSpan span, int range_rows) {
  extern __shared__ float4 stages[];
  using Tile = TensorTile<false, false, kColumns>;
  const int begin = static_cast<int>(blockIdx.z) * range_rows;
  const int rows = static_cast<int>(span.count());
  if (begin >= rows) return;
  const int end = min(rows, begin + range_rows);
  const int first_row = static_cast<int>(blockIdx.y) * kTensorRows;
  const int first_column = static_cast<int>(blockIdx.x) * kColumns;
  const bool sums_bias = bias_partial != nullptr && blockIdx.x == 0 && threadIdx.x < kTensorRows;
  float bias = 0.0f;
  Tile tile;
  tile.multiply(reinterpret_cast<bfloat16*>(stages), dy, first_row, out, x, first_column, in, begin, end,
                [&](const bfloat16* stage) {
                  if (!sums_bias) return;
#pragma unroll
                  for (int k = 0; k < kTensorDepth; ++k) bias += to_float(stage[k * Tile::A::kStride + threadIdx.x]);
                });
  tile.write_to(StoreElement<float>{partial + int64_t{blockIdx.z} * out * in, int64_t{in}, false},
                reinterpret_cast<bfloat16*>(stages), first_row, out, first_column, in);
  const int row = first_row + static_cast<int>(threadIdx.x);
  if (sums_bias && row < out) bias_partial[int64_t{blockIdx.z} * out + row] = bias;
}

}  // namespace

void add_tensor_weight_sums(const CudaContext& context, const WeightSums& sums) {
  const int64_t out = sums.dweight.extent(0), in = sums.dweight.extent(1);
  check_tensor_extents(sums.span.capacity, out, in);
  with_tensor_columns(in, [&]<int kColumns>(std::integral_constant<int, kColumns>) {
    const int64_t across = chunks_of(in, kColumns), down = chunks_of(out, kTensorRows);
    const int64_t range_rows = range_rows_of(across * down);
    const int64_t ranges = chunks_of(sums.span.capacity, range_rows);
    if (ranges > 65535) fail_text("a weight gradient over more rows than CUDA has blocks for");
    const ScratchArray<float> partial(context, ranges * out * in);
    const ScratchArray<float> bias_partial(context, sums.dbias.empty() ? 0 : ranges * out);
    const auto kernel = tensor_weight_partials<kColumns>;
    constexpr size_t kBytes = TensorTile<false, false, kColumns>::kBytes;
    PHASOR_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kBytes)));
    const dim3 grid(static_cast<unsigned>(across), static_cast<unsigned>(down), static_cast<unsigned>(ranges));
    kernel<<<grid, kTensorThreads, kBytes, context.stream>>>(
        TensorOperand(sums.dy), TensorOperand(sums.x), partial.data(), bias_partial.data(), static_cast<int>(out),
        static_cast<int>(in), sums.span, static_cast<int>(range_rows));
    PHASOR_CUDA_LAUNCHED();
    add_partial_sums(context, sums.dweight.data(), sums.dweight.stride(0), in, out * in, partial.data(), out * in,
                     sums.span, range_rows);
    if (sums.dbias.empty()) return;
    add_partial_sums(context, sums.dbias.data(), out, out, out, bias_partial.data(), out, sums.span, range_rows);
  });
}

}  // namespace phasor::cuda
