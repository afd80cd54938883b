#include "phasor/engine/cuda/cuda_backend.h"
#include "phasor/engine/cuda/products.h"
#include "phasor/engine/cuda/row_columns.h"

namespace phasor {
namespace cuda {
namespace {

constexpr int kThreads = 128;
// Gradients by the weights are summed in at most this many partial sums, and these are added in order.
constexpr int64_t kMostChunks = 64;

__device__ int64_t table_head(const MlpTable& mlp, int64_t output) {
  return mlp.heads.empty() ? output : mlp.heads(output);
}

__device__ float hidden_unit(const MlpTable& mlp, int64_t k, float x) {
  const float z = fmaf(mlp.weight1(k), x, mlp.bias1(k));
  return z < 0.0f ? 0.0f : z;  // NaN stays NaN
}

// The gradient by what unit k gives to relu, for an entry of the table.
__device__ float unit_gradient(const MlpTableBackward& op, int64_t k, int64_t row, int64_t column) {
  const MlpTable& mlp = op.mlp;
  if (!(hidden_unit(mlp, k, mlp.x(row, column)) > 0.0f)) return 0.0f;
  const int64_t rows = mlp.x.extent(0);
  float sum = 0.0f;
  for (int64_t h = 0; h < mlp.weight2.extent(0); ++h) {
    sum = fmaf(op.dtable(table_head(mlp, h) * rows + row, column), mlp.weight2(h, k), sum);
  }
  return sum;
}

__global__ void mlp_forward(MlpTableForward op) {
  const MlpTable& mlp = op.mlp;
  const int64_t rows = mlp.x.extent(0), width = mlp.x.extent(1);
  const int64_t units = mlp.weight1.extent(0);
  for (int64_t i = grid_first(); i < rows * width; i += grid_step()) {
    const int64_t r = i / width, c = i % width;
    const RowColumns columns = row_columns(mlp.row_columns, r, width);
    if (c < columns.from || c >= columns.from + columns.count) continue;
    const float x = mlp.x(r, c);
    for (int64_t h = 0; h < mlp.weight2.extent(0); ++h) {
      float sum = 0.0f;
      for (int64_t k = 0; k < units; ++k) sum = fmaf(mlp.weight2(h, k), hidden_unit(mlp, k, x), sum);
      op.table(table_head(mlp, h) * rows + r, c) += sum + mlp.bias2(h);
    }
  }
}

__global__ void mlp_by_x(MlpTableBackward op) {
  const MlpTable& mlp = op.mlp;
  const int64_t rows = mlp.x.extent(0), width = mlp.x.extent(1);
  for (int64_t i = grid_first(); i < rows * width; i += grid_step()) {
    const int64_t r = i / width, c = i % width;
    const RowColumns columns = row_columns(mlp.row_columns, r, width);
    if (c < columns.from || c >= columns.from + columns.count) continue;
    float sum = 0.0f;
    for (int64_t k = 0; k < mlp.weight1.extent(0); ++k) sum = fmaf(unit_gradient(op, k, r, c), mlp.weight1(k), sum);
    op.dx(r, c) += sum;
  }
}

// partial[chunk] = the gradients by weight2 [outputs, units], bias2 [outputs], weight1 [units] and bias1 [units] over a
// chunk of rows; a thread per number, the sum of each row on its own first, which loses less.
__global__ void mlp_by_weights(MlpTableBackward op, int64_t chunk_rows, int64_t size, float* partial) {
  const MlpTable& mlp = op.mlp;
  const int64_t rows = mlp.x.extent(0), width = mlp.x.extent(1);
  const int64_t units = mlp.weight1.extent(0), outputs = mlp.weight2.extent(0);
  const int64_t i = int64_t{blockIdx.y} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const int64_t begin = int64_t{blockIdx.x} * chunk_rows;
  const int64_t end = min(rows, begin + chunk_rows);
  const int64_t of_outputs = outputs * (units + 1);
  float total = 0.0f;
  for (int64_t r = begin; r < end; ++r) {
    const RowColumns columns = row_columns(mlp.row_columns, r, width);
    float sum = 0.0f;
    for (int64_t c = columns.from; c < columns.from + columns.count; ++c) {
      if (i < outputs * units) {
        const float dtable = op.dtable(table_head(mlp, i / units) * rows + r, c);
        sum = fmaf(dtable, hidden_unit(mlp, i % units, mlp.x(r, c)), sum);
      } else if (i < of_outputs) {
        sum += op.dtable(table_head(mlp, i - outputs * units) * rows + r, c);
      } else {
        const int64_t k = (i - of_outputs) % units;
        const float d = unit_gradient(op, k, r, c);
        sum = i < of_outputs + units ? fmaf(d, mlp.x(r, c), sum) : sum + d;
      }
    }
    total += sum;
  }
  partial[int64_t{blockIdx.x} * size + i] = total;
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const MlpTableForward& op) {
  using namespace cuda;
  if (op.mlp.x.size() == 0) return;
  mlp_forward<<<grid_of(op.mlp.x.size(), kThreads), kThreads, 0, context().stream>>>(op);
  PHASOR_CUDA_LAUNCHED();
}

void CudaBackend::run(const MlpTableBackward& op) {
  using namespace cuda;
  if (op.mlp.x.size() == 0) return;
  mlp_by_x<<<grid_of(op.mlp.x.size(), kThreads), kThreads, 0, context().stream>>>(op);
  PHASOR_CUDA_LAUNCHED();
  const int64_t rows = op.mlp.x.extent(0);
  const int64_t units = op.mlp.weight1.extent(0), outputs = op.mlp.weight2.extent(0);
  const int64_t size = outputs * (units + 1) + 2 * units;
  if (size == 0) return;
  const int64_t chunk_rows = chunks_of(rows, kMostChunks);
  const int64_t chunks = chunks_of(rows, chunk_rows);
  const ScratchArray<float> partial(context(), chunks * size);
  const dim3 grid(static_cast<unsigned>(chunks), static_cast<unsigned>(chunks_of(size, kThreads)));
  mlp_by_weights<<<grid, kThreads, 0, context().stream>>>(op, chunk_rows, size, partial.data());
  PHASOR_CUDA_LAUNCHED();
  const RowSpan span{nullptr, 0, rows};
  const auto add = [&](float* to, int64_t stride, int64_t columns, int64_t count, int64_t first) {
    add_partial_sums(context(), to, stride, columns, count, partial.data() + first, size, span, chunk_rows);
  };
  add(op.dweight2.data(), op.dweight2.stride(0), std::max<int64_t>(units, 1), outputs * units, 0);
  add(op.dbias2.data(), outputs, outputs, outputs, outputs * units);
  add(op.dweight1.data(), units, units, units, outputs * (units + 1));
  add(op.dbias1.data(), units, units, units, outputs * (units + 1) + units);
}

}  // namespace phasor
