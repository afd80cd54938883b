#pragma once
// Matrix products in fp32 sums, on rows that only the device counts. A result's bits follow from its own row and column
// alone: every sum runs over k in order, in one thread, whatever the number of rows. fp32 operands are multiplied in
// fp32 here, those of bf16 on tensor cores (tensor_products.h). For .cu files.
#include <cstdint>

#include "phasor/engine/cuda/context.h"
#include "phasor/engine/cuda/elements.h"
#include "phasor/engine/cuda/row_span.h"
#include "phasor/engine/cuda/tensor_products.h"

namespace phasor::cuda {

inline constexpr int kProductTile = 64;   // rows and columns of a block
inline constexpr int kProductDepth = 16;  // of k in shared memory
inline constexpr int kProductThreads = 256;
inline constexpr int kProductPatch = 4;  // rows and columns of a thread

// The tile's sums over k in [k_begin, k_end), for the block's rows and columns: a(m, k) b(k, n). Elements beyond the
// ends are 0. kAAlongK, kBAlongK: which index neighbours in memory have.
template <bool kAAlongK, bool kBAlongK, class A, class B>
__device__ void tile_product(float (&sums)[kProductPatch][kProductPatch], const A& a, const B& b, int64_t first_row,
                             int64_t rows, int64_t first_column, int64_t columns, int64_t k_begin, int64_t k_end) {
  __shared__ float a_tile[kProductDepth][kProductTile + 1];
  __shared__ float b_tile[kProductDepth][kProductTile + 1];
  const int thread_row = threadIdx.x / (kProductTile / kProductPatch);
  const int thread_column = threadIdx.x % (kProductTile / kProductPatch);
  for (int64_t k0 = k_begin; k0 < k_end; k0 += kProductDepth) {
#pragma unroll
    for (int part = 0; part < kProductTile * kProductDepth / kProductThreads; ++part) {
      const int i = part * kProductThreads + static_cast<int>(threadIdx.x);
      const int ak = kAAlongK ? i % kProductDepth : i / kProductTile;
      const int am = kAAlongK ? i / kProductDepth : i % kProductTile;
      a_tile[ak][am] = first_row + am < rows && k0 + ak < k_end ? a(first_row + am, k0 + ak) : 0.0f;
      const int bk = kBAlongK ? i % kProductDepth : i / kProductTile;
      const int bn = kBAlongK ? i / kProductDepth : i % kProductTile;
      b_tile[bk][bn] = first_column + bn < columns && k0 + bk < k_end ? b(k0 + bk, first_column + bn) : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kProductDepth; ++k) {
      float left[kProductPatch], right[kProductPatch];
#pragma unroll
      for (int i = 0; i < kProductPatch; ++i) {
        left[i] = a_tile[k][thread_row + i * (kProductTile / kProductPatch)];
        right[i] = b_tile[k][thread_column + i * (kProductTile / kProductPatch)];
      }
#pragma unroll
      for (int i = 0; i < kProductPatch; ++i) {
#pragma unroll
        for (int j = 0; j < kProductPatch; ++j) sums[i][j] = fmaf(left[i], right[j], sums[i][j]);
      }
    }
    __syncthreads();
  }
}

// store(row, column, sum) for each of the block's elements within the ends.
template <class Store>
__device__ void store_tile(const float (&sums)[kProductPatch][kProductPatch], int64_t first_row, int64_t rows,
                           int64_t first_column, int64_t columns, const Store& store) {
  constexpr int kStep = kProductTile / kProductPatch;
#pragma unroll
  for (int i = 0; i < kProductPatch; ++i) {
#pragma unroll
    for (int j = 0; j < kProductPatch; ++j) {
      const int64_t row = first_row + threadIdx.x / kStep + i * kStep;
      const int64_t column = first_column + threadIdx.x % kStep + j * kStep;
      if (row < rows && column < columns) store(row, column, sums[i][j]);
    }
  }
}

// x [rows, k], elements of T.
template <class T>
struct RowMajor {
  const T* data;
  int64_t stride;
  __device__ float operator()(int64_t row, int64_t column) const { return to_float(data[row * stride + column]); }
};
template <class T>
struct Transposed {
  const T* data;
  int64_t stride;
  __device__ float operator()(int64_t row, int64_t column) const { return to_float(data[column * stride + row]); }
};

template <class T>
RowMajor<T> row_major(const ConstMatrix& m) {
  return {m.row<T>(0), m.stride()};
}
template <class T>
Transposed<T> transposed(const ConstMatrix& m) {
  return {m.row<T>(0), m.stride()};
}

// store(r, n, sum_k a[r][k] b[n][k]) (b transposed) or b[k][n], for the span's rows.
template <bool kBTransposed, class T, class B, class Store>
__global__ __launch_bounds__(kProductThreads) void row_product_kernel(RowMajor<T> a, B b, Store store, RowSpan span,
                                                                      int64_t n, int64_t k) {
  const int64_t rows = span.count();
  const int64_t first_column = int64_t{blockIdx.x} * kProductTile;
  for (int64_t first_row = int64_t{blockIdx.y} * kProductTile; first_row < rows;
       first_row += int64_t{gridDim.y} * kProductTile) {
    float sums[kProductPatch][kProductPatch] = {};
    tile_product<true, kBTransposed>(sums, a, b, first_row, rows, first_column, n, 0, k);
    store_tile(sums, first_row, rows, first_column, n, store);
  }
}

inline dim3 product_grid(int64_t rows, int64_t columns) {
  return {static_cast<unsigned>(chunks_of(columns, kProductTile)),
          static_cast<unsigned>(std::min<int64_t>(chunks_of(rows, kProductTile), 65535))};
}

// store(r, n, a[r] . b[n]) for a [rows, k] and b [n, k].
template <class T, class Store>
void product_with_rows(const CudaContext& context, const ConstMatrix& a, const ConstMatrix& b, const RowSpan& span,
                       const Store& store) {
  if (span.capacity == 0 || b.rows() == 0) return;
  if constexpr (std::is_same_v<T, bfloat16>) {
    tensor_product<true>(context, a, b, span, b.rows(), store);
  } else {
    row_product_kernel<true><<<product_grid(span.capacity, b.rows()), kProductThreads, 0, context.stream>>>(
        row_major<T>(a), transposed<T>(b), store, span, b.rows(), a.columns());
    PHASOR_CUDA_LAUNCHED();
  }
}

// store(r, n, sum_k a[r][k] b[k][n]) for a [rows, k] and b [k, n].
template <class T, class Store>
void product_with_columns(const CudaContext& context, const ConstMatrix& a, const ConstMatrix& b, const RowSpan& span,
                          const Store& store) {
  if (span.capacity == 0 || b.columns() == 0) return;
  if constexpr (std::is_same_v<T, bfloat16>) {
    tensor_product<false>(context, a, b, span, b.columns(), store);
  } else {
    row_product_kernel<false><<<product_grid(span.capacity, b.columns()), kProductThreads, 0, context.stream>>>(
        row_major<T>(a), row_major<T>(b), store, span, b.columns(), a.columns());
    PHASOR_CUDA_LAUNCHED();
  }
}

// What a product by a weight writes as it is: to a matrix of any dtype, or added to an fp32 one.
template <class T>
struct StoreElement {
  static constexpr int kOutputs = 0;
  T* data;
  int64_t stride;
  bool accumulate;
  __device__ void operator()(int64_t row, int64_t column, float value) const {
    T& to = data[row * stride + column];
    write(to, accumulate ? to_float(to) + value : value);
  }
  __device__ void pair(int64_t row, int64_t column, float first, float second) const {
    T* to = data + row * stride + column;
    if (accumulate) {
      first += to_float(to[0]);
      second += to_float(to[1]);
    }
    write_pair(to, first, second);
  }
};

// dweight += dy^T x and, where it is not empty, dbias += the columns' sums of dy, over the rows of the span, as sums
// over fixed ranges of rows that are added in order.
struct WeightSums {
  View<float, 2> dweight;  // [out, in]
  View<float, 1> dbias;    // [out] or empty
  ConstMatrix dy;          // [rows, out]
  ConstMatrix x;           // [rows, in]
  RowSpan span;            // of dy and x, which start at its first row
};
void add_weight_sums(const CudaContext& context, const WeightSums& sums);
// The same on tensor cores, where dy and x are bf16 and there are rows, outputs and inputs.
void add_tensor_weight_sums(const CudaContext& context, const WeightSums& sums);

// to[i] += partial[0][i] + ... of the ranges that the span's rows fill, in order; partial is [ranges, size].
void add_partial_sums(const CudaContext& context, float* to, int64_t to_stride, int64_t columns, int64_t size,
                      const float* partial, int64_t partial_stride, const RowSpan& span, int64_t range_rows);

}  // namespace phasor::cuda
