#pragma once
// Whether the GPU can run the kernels of this build.
namespace phasor::cuda {

bool has_device_code();

}  // namespace phasor::cuda
