#include <cuda_runtime.h>

#include "phasor/engine/cuda/device_code.h"

namespace phasor::cuda {
namespace {

__global__ void any_kernel() {}

}  // namespace

bool has_device_code() {
  cudaFuncAttributes attributes{};
  const bool found = cudaFuncGetAttributes(&attributes, any_kernel) == cudaSuccess;
  cudaGetLastError();
  return found;
}

}  // namespace phasor::cuda
