#include <cuda_runtime.h>

#include "phasor/engine/cuda/device_code.h"

namespace phasor::cuda {
namespace {

__global__ void any_kernel() {}

}  // namespace

cudaError_t look_up_device_code() {
  cudaFuncAttributes attributes{};
  const cudaError_t code = cudaFuncGetAttributes(&attributes, any_kernel);
  cudaGetLastError();
  return code;
}

bool is_missing_code(cudaError_t code) {
  return code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction ||
         code == cudaErrorInvalidKernelImage || code == cudaErrorUnsupportedPtxVersion ||
         code == cudaErrorJitCompilerNotFound;
}

}  // namespace phasor::cuda
