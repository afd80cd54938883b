#pragma once
// The instructions that products on tensor cores are made of: bf16 operands, fp32 sums, any GPU since compute
// capability 8.0. All 32 lanes of a warp call the matrix functions together. For .cu files.
//
// A fragment is what a lane holds of a matrix. With g = lane / 4 and t = lane % 4, pairs of neighbours in a register:
//   A [16 rows, 16 k]     4 registers: (g, 2t), (g + 8, 2t), (g, 2t + 8), (g + 8, 2t + 8)
//   B [16 k, 8 columns]   2 registers: (2t, g), (2t + 8, g)
//   C [16 rows, 8 columns] 4 floats: (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1)
#include <cstdint>

#include "phasor/tensor/bfloat16.h"

namespace phasor::cuda {

__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// Four 8 x 8 matrices of bf16 from shared memory; lane i gives the address of row i % 8 of matrix i / 8, of 16 bytes.
__device__ inline void load_matrices(uint32_t (&to)[4], const bfloat16* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

// The same, each matrix transposed.
__device__ inline void load_matrices_transposed(uint32_t (&to)[4], const bfloat16* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

// c += a b
__device__ inline void multiply_add(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Two numbers rounded to bf16 side by side, the first in the low half.
__device__ inline uint32_t pack(float low, float high) {
  uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;\n" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

// 16 bytes to shared memory without passing through registers; zeros behind the first `bytes`. Both aligned to 16
// bytes.
__device__ inline void copy_async(void* to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(shared_address(to)), "l"(from), "r"(bytes)
               : "memory");
}

// Closes a group of copies. Groups end in order.
__device__ inline void close_copies() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }

// Waits until at most `Open` of this thread's groups are under way.
template <int Open>
__device__ inline void wait_copies() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(Open) : "memory");
}

}  // namespace phasor::cuda
