#pragma once
// Whether the GPU can run the kernels of this build.
#include <cuda_runtime_api.h>

namespace phasor::cuda {

// What CUDA says when a kernel of this build is looked up; success where the GPU can run it.
cudaError_t look_up_device_code();

// Of such an answer: the build has nothing that this GPU can run. Other failures have other causes.
bool is_missing_code(cudaError_t code);

}  // namespace phasor::cuda
