#pragma once
// Matrix products of bf16 on tensor cores, with fp32 sums. A block makes a tile of the result; k goes through shared
// memory a few stages ahead of the multiplication. Every sum runs over k in order, 16 at a time, in one warp: a
// result's bits follow from its own row and column alone, whatever the number of rows. For .cu files.
#include <cstdint>
#include <type_traits>

#include "phasor/engine/cuda/context.h"
#include "phasor/engine/cuda/elements.h"
#include "phasor/engine/cuda/row_span.h"
#include "phasor/engine/cuda/tensor_cores.h"

namespace phasor::cuda {

inline constexpr int kTensorRows = 128;  // of a block's tile
inline constexpr int kTensorDepth = 32;  // of k in a stage
inline constexpr int kTensorStages = 4;
inline constexpr int kTensorThreads = 256;  // warps: four along the rows, two along the columns
inline constexpr int kTensorPad = 8;        // elements behind a row in shared memory: eight rows meet no bank twice

// One operand in device memory, rows of the memory: [m or n, k] where k neighbours, else [k, m or n].
struct TensorOperand {
  const bfloat16* data = nullptr;
  int64_t stride = 0;
  bool aligned = false;  // each eighth element of a row begins 16 bytes

  TensorOperand() = default;
  explicit TensorOperand(const ConstMatrix& m)
      : data(m.row<bfloat16>(0)),
        stride(m.stride()),
        aligned(reinterpret_cast<uintptr_t>(m.data()) % 16 == 0 && m.stride() % 8 == 0) {}
};

// Of the m or n of an operand that a stage holds: how it lies in shared memory.
template <bool kAlongK, int kTile>
struct TensorStage {
  static constexpr int kRows = kAlongK ? kTile : kTensorDepth;
  static constexpr int kColumns = kAlongK ? kTensorDepth : kTile;
  static constexpr int kStride = kColumns + kTensorPad;
  static constexpr int kElements = kRows * kStride;

  // Elements [row, row_end) x [column, column_end) of the operand, zeros beyond the ends.
  static __device__ void load(bfloat16* to, const TensorOperand& from, int row, int row_end, int column,
                              int column_end) {
    constexpr int kPerRow = kColumns / 8;
#pragma unroll
    for (int part = 0; part < kRows * kPerRow / kTensorThreads; ++part) {
      const int i = part * kTensorThreads + static_cast<int>(threadIdx.x);
      const int r = row + i / kPerRow;
      const int c = column + i % kPerRow * 8;
      const int count = r < row_end ? min(max(column_end - c, 0), 8) : 0;
      bfloat16* place = to + i / kPerRow * kStride + i % kPerRow * 8;
      const bfloat16* source = count > 0 ? from.data + int64_t{r} * from.stride + c : from.data;
      if (from.aligned) {
        copy_async(place, source, count * 2);
      } else {
        for (int e = 0; e < 8; ++e) place[e] = e < count ? source[e] : bfloat16{};
      }
    }
  }
};

template <bool kAAlongK, bool kBAlongK, int kColumns>
struct TensorTile {
  using A = TensorStage<kAAlongK, kTensorRows>;
  using B = TensorStage<kBAlongK, kColumns>;
  static constexpr int kElements = A::kElements + B::kElements;  // of a stage
  static constexpr size_t kBytes = sizeof(bfloat16) * kTensorStages * kElements;
  static constexpr int kWarpColumns = kColumns / 2;
  static constexpr int kParts = kWarpColumns / 8;

  float sums[2][kParts][4] = {};  // the warp's 32 rows x kWarpColumns as fragments

  // Adds a(m, k) b(k, n) over k in [k_begin, k_end) for the block's rows and columns; each(a) sees every stage of a
  // once it is there. Everything is read when this returns.
  template <class Each>
  __device__ void multiply(bfloat16* shared, const TensorOperand& a, int first_row, int rows, const TensorOperand& b,
                           int first_column, int columns, int k_begin, int k_end, const Each& each) {
    const int steps = (k_end - k_begin + kTensorDepth - 1) / kTensorDepth;
    const auto load = [&](int step) {
      if (step < steps) {
        bfloat16* stage = shared + step % kTensorStages * kElements;
        const int k = k_begin + step * kTensorDepth;
        if constexpr (kAAlongK) {
          A::load(stage, a, first_row, rows, k, k_end);
        } else {
          A::load(stage, a, k, k_end, first_row, rows);
        }
        if constexpr (kBAlongK) {
          B::load(stage + A::kElements, b, first_column, columns, k, k_end);
        } else {
          B::load(stage + A::kElements, b, k, k_end, first_column, columns);
        }
      }
      close_copies();  // an empty group keeps the count
    };
    for (int step = 0; step < kTensorStages - 1; ++step) load(step);
    for (int step = 0; step < steps; ++step) {
      wait_copies<kTensorStages - 2>();
      __syncthreads();
      load(step + kTensorStages - 1);  // into the stage that was multiplied before the barrier
      const bfloat16* stage = shared + step % kTensorStages * kElements;
      multiply_stage(stage, stage + A::kElements);
      each(stage);
    }
    wait_copies<0>();
    __syncthreads();
  }

  // Hands the tile's elements within the ends to the store; `shared` is the stages' memory, free by now.
  template <class Store>
  __device__ void write_to(const Store& store, bfloat16* shared, int first_row, int rows, int first_column,
                           int columns) const {
    if constexpr (Store::kOutputs > 0) {
      if (store.has_eights()) {
        bfloat16* strip = shared + static_cast<int>(threadIdx.x) / kWarp * 32 * kStripStride;
        write_eights<0>(store, strip, first_row, rows, first_column, columns);
        if constexpr (Store::kOutputs > 1) write_eights<1>(store, strip, first_row, rows, first_column, columns);
        return;
      }
    }
    write_pairs(store, first_row, rows, first_column, columns);
  }

 private:
  static constexpr int kStripStride = kWarpColumns + 8;

  // A warp's elements, rounded to bf16, side by side in its strip of shared memory first: whole sectors go out.
  template <int kOutput, class Store>
  __device__ void write_eights(const Store& store, bfloat16* strip, int first_row, int rows, int first_column,
                               int columns) const {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    first_row += warp_row();
    first_column += warp_column();
#pragma unroll
    for (int n = 0; n < kParts; ++n) {
      const int column = n * 8 + lane % 4 * 2;
      const float2 beside = first_column + column < columns ? store.beside(first_column + column) : float2{};
#pragma unroll
      for (int m = 0; m < 4; ++m) {
        *reinterpret_cast<uint32_t*>(strip + (m * 8 + lane / 4) * kStripStride + column) =
            pack(store.template value<kOutput>(sums[m / 2][n][m % 2 * 2], beside.x),
                 store.template value<kOutput>(sums[m / 2][n][m % 2 * 2 + 1], beside.y));
      }
    }
    __syncwarp();
    constexpr int kPerRow = kWarpColumns / 8;
#pragma unroll 4
    for (int i = lane; i < 32 * kPerRow; i += kWarp) {
      const int row = first_row + i / kPerRow, column = first_column + i % kPerRow * 8;
      if (row >= rows || column >= columns) continue;
      store.template write_eight<kOutput>(
          row, column, *reinterpret_cast<const uint4*>(strip + i / kPerRow * kStripStride + i % kPerRow * 8));
    }
    __syncwarp();
  }

  // store(row, column, value) and store.pair(row, column, first, second).
  template <class Store>
  __device__ void write_pairs(const Store& store, int first_row, int rows, int first_column, int columns) const {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
    for (int m = 0; m < 2; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = first_row + warp_row() + m * 16 + half * 8 + lane / 4;
        if (row >= rows) continue;
#pragma unroll
        for (int n = 0; n < kParts; ++n) {
          const int column = first_column + warp_column() + n * 8 + lane % 4 * 2;
          const float first = sums[m][n][2 * half], second = sums[m][n][2 * half + 1];
          if (column + 1 < columns) {
            store.pair(row, column, first, second);
          } else if (column < columns) {
            store(row, column, first);
          }
        }
      }
    }
  }

  static __device__ int warp_row() { return static_cast<int>(threadIdx.x) / kWarp / 2 * 32; }
  static __device__ int warp_column() { return static_cast<int>(threadIdx.x) / kWarp % 2 * kWarpColumns; }

  __device__ void multiply_stage(const bfloat16* a, const bfloat16* b) {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
    for (int k = 0; k < kTensorDepth; k += 16) {
      uint32_t left[2][4];
#pragma unroll
      for (int m = 0; m < 2; ++m) {
        const int row = warp_row() + m * 16;
        if constexpr (kAAlongK) {
          load_matrices(left[m], a + (row + lane % 16) * A::kStride + k + lane / 16 * 8);
        } else {
          load_matrices_transposed(left[m], a + (k + lane % 8 + lane / 16 * 8) * A::kStride + row + lane / 8 % 2 * 8);
        }
      }
#pragma unroll
      for (int n = 0; n < kParts; n += 2) {
        const int column = warp_column() + n * 8;
        uint32_t right[4];
        if constexpr (kBAlongK) {
          load_matrices(right, b + (column + lane % 8 + lane / 16 * 8) * B::kStride + k + lane / 8 % 2 * 8);
        } else {
          load_matrices_transposed(right, b + (k + lane % 16) * B::kStride + column + lane / 16 * 8);
        }
#pragma unroll
        for (int m = 0; m < 2; ++m) {
          multiply_add(sums[m][n], left[m], right[0], right[1]);
          multiply_add(sums[m][n + 1], left[m], right[2], right[3]);
        }
      }
    }
  }
};

// What a store is. `Store::kOutputs` counts the bf16 matrices that it writes eight neighbours at a time where
// has_eights(): value<o>(sum, beside(column)) is rounded and write_eight<o> gets eight of them. 0 outputs: it takes
// only single elements and pairs of any type.

// Calls f with the number of columns of a tile, which follows from the width of the result alone.
template <class F>
void with_tensor_columns(int64_t columns, const F& f) {
  if (columns <= 64) {
    f(std::integral_constant<int, 64>());
  } else {
    f(std::integral_constant<int, 128>());
  }
}

// store(r, n, sum_k a[r][k] b[n][k]) where k neighbours in b, else b[k][n], for the span's rows.
template <bool kBAlongK, int kColumns, class Store>
__global__ void __launch_bounds__(kTensorThreads, 2)
    tensor_product_kernel(TensorOperand a, TensorOperand b, Store store, RowSpan span, int n, int k) {
  extern __shared__ float4 stages[];
  const int rows = static_cast<int>(span.count());
  const int first_column = static_cast<int>(blockIdx.x) * kColumns;
  for (int first_row = static_cast<int>(blockIdx.y) * kTensorRows; first_row < rows;
       first_row += static_cast<int>(gridDim.y) * kTensorRows) {
    TensorTile<true, kBAlongK, kColumns> tile;
    tile.multiply(reinterpret_cast<bfloat16*>(stages), a, first_row, rows, b, first_column, n, 0, k,
                  [](const bfloat16*) {});
    tile.write_to(store, reinterpret_cast<bfloat16*>(stages), first_row, rows, first_column, n);
    __syncthreads();
  }
}

// Rows and widths are counted by int within a kernel.
inline void check_tensor_extents(int64_t rows, int64_t columns, int64_t k) {
  constexpr int64_t kMost = INT32_MAX / 2;
  if (std::max({rows, columns, k}) > kMost) fail_text("a matrix product over more than 2^30 rows or columns");
}

template <bool kBAlongK, class Store>
void tensor_product(const CudaContext& context, const ConstMatrix& a, const ConstMatrix& b, const RowSpan& span,
                    int64_t n, const Store& store) {
  check_tensor_extents(span.capacity, n, a.columns());
  with_tensor_columns(n, [&]<int kColumns>(std::integral_constant<int, kColumns>) {
    const auto kernel = tensor_product_kernel<kBAlongK, kColumns, Store>;
    constexpr size_t kBytes = TensorTile<true, kBAlongK, kColumns>::kBytes;
    PHASOR_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kBytes)));
    const dim3 grid(static_cast<unsigned>(chunks_of(n, kColumns)),
                    static_cast<unsigned>(std::min<int64_t>(chunks_of(span.capacity, kTensorRows), 65535)));
    kernel<<<grid, kTensorThreads, kBytes, context.stream>>>(TensorOperand(a), TensorOperand(b), store, span,
                                                             static_cast<int>(n), static_cast<int>(a.columns()));
    PHASOR_CUDA_LAUNCHED();
  });
}

}  // namespace phasor::cuda
