#pragma once
// Sums over the threads of a block, in one fixed order. For .cu files.
#include "phasor/engine/cuda/elements.h"

namespace phasor::cuda {

// For thread 0; every thread of the block must call it, the block has Threads of them. Calls may follow each other.
template <int Threads>
__device__ double block_sum(double value) {
  __shared__ double of_warp[Threads / kWarp];
  value = warp_sum(value);
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = value;
  __syncthreads();
  double sum = 0.0;
  if (threadIdx.x == 0) {
    for (double part : of_warp) sum += part;
  }
  __syncthreads();
  return sum;
}

}  // namespace phasor::cuda
