#pragma once
// CUDA's return codes as errors with a sentence. Kept free of fmt, which nvcc compiles slowly.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace phasor::cuda {

// Throws an Error that says what was tried, what CUDA answered and where in our code.
[[noreturn]] void fail_call(cudaError_t code, const char* tried, const char* file, int line);
// The same where memory ran out: how much was needed, how much the device has and has free.
[[noreturn]] void fail_memory(size_t bytes);
// An Error with a text of the caller's.
[[noreturn]] void fail_text(const std::string& text);

inline void check(cudaError_t code, const char* tried, const char* file, int line) {
  if (code != cudaSuccess) fail_call(code, tried, file, line);
}

}  // namespace phasor::cuda

// PHASOR_CUDA_CHECK(cudaStreamSynchronize(stream)); PHASOR_CUDA_LAUNCHED() stands behind each launch.
#define PHASOR_CUDA_CHECK(call) phasor::cuda::check((call), #call, __FILE__, __LINE__)
#define PHASOR_CUDA_LAUNCHED() phasor::cuda::check(cudaGetLastError(), "launching a kernel", __FILE__, __LINE__)
