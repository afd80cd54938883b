#pragma once
// Elements of fp32 or bf16 as float, and back; row counts; the grids of simple kernels. For .cu files.
#include <algorithm>
#include <cstdint>

#include "phasor/engine/cuda/tensor_cores.h"
#include "phasor/engine/ops.h"
#include "phasor/tensor/matrix.h"

namespace phasor::cuda {

inline constexpr int kWarp = 32;
inline constexpr unsigned kAllLanes = 0xffffffffu;

__device__ inline void write(float& to, float value) { to = value; }
__device__ inline void write(bfloat16& to, float value) { to = to_bfloat16(value); }

// Two neighbours, in one access where they lie so.
__device__ inline void write_pair(float* to, float first, float second) {
  if (reinterpret_cast<uintptr_t>(to) % 8 == 0) {
    *reinterpret_cast<float2*>(to) = make_float2(first, second);
  } else {
    to[0] = first;
    to[1] = second;
  }
}
__device__ inline void write_pair(bfloat16* to, float first, float second) {
  if (reinterpret_cast<uintptr_t>(to) % 4 == 0) {
    *reinterpret_cast<uint32_t*>(to) = pack(first, second);
  } else {
    write(to[0], first);
    write(to[1], second);
  }
}

// An element of a matrix whose dtype only its record knows; where a loop is hot, use with_element.
__device__ inline float read_at(const ConstMatrix& from, int64_t r, int64_t c) {
  return from.dtype() == Dtype::f32 ? from.row<float>(r)[c] : to_float(from.row<bfloat16>(r)[c]);
}
__device__ inline void write_at(const Matrix& to, int64_t r, int64_t c, float value) {
  if (to.dtype() == Dtype::f32) {
    to.row<float>(r)[c] = value;
  } else {
    to.row<bfloat16>(r)[c] = to_bfloat16(value);
  }
}

// Calls f with a null pointer of the element type (host).
template <class F>
void with_element(Dtype dtype, const F& f) {
  if (dtype == Dtype::f32) {
    f(static_cast<float*>(nullptr));
  } else {
    f(static_cast<bfloat16*>(nullptr));
  }
}

__device__ inline int64_t used_rows(const Rows& rows, int64_t capacity) {
  return rows.used != nullptr ? *rows.used : capacity;
}

// Sums of all lanes of a warp, in every lane, in one fixed order.
__device__ inline float warp_sum(float value) {
  for (int step = kWarp / 2; step > 0; step /= 2) value += __shfl_xor_sync(kAllLanes, value, step);
  return value;
}
__device__ inline double warp_sum(double value) {
  for (int step = kWarp / 2; step > 0; step /= 2) value += __shfl_xor_sync(kAllLanes, value, step);
  return value;
}

inline int64_t chunks_of(int64_t count, int64_t size) { return (count + size - 1) / size; }

// Blocks of a kernel that takes `size` items per block in a loop over the grid: never 0, never more than hardware
// takes.
inline unsigned grid_of(int64_t items, int64_t size) {
  return static_cast<unsigned>(std::clamp<int64_t>(chunks_of(items, size), 1, 1 << 20));
}

// The items of this thread where the threads of the whole grid share `count`: for (int64_t i : grid_items) by hand.
__device__ inline int64_t grid_first() { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ inline int64_t grid_step() { return int64_t{gridDim.x} * blockDim.x; }

}  // namespace phasor::cuda
