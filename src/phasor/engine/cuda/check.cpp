#include "phasor/engine/cuda/check.h"

#include <string_view>

#include "phasor/base/error.h"

namespace phasor::cuda {
namespace {

// "src/phasor/engine/cuda/linear.cu" whatever the folder of the clone.
std::string_view name_in_source(std::string_view file) {
  const size_t at = file.rfind("phasor/engine/");
  return at == std::string_view::npos ? file : file.substr(at);
}

double gib(size_t bytes) { return static_cast<double>(bytes) / (1u << 30); }

}  // namespace

void fail_call(cudaError_t code, const char* tried, const char* file, int line) {
  cudaGetLastError();  // so that the next call does not meet it again
  fail("CUDA: {}: {} ({}, line {})", tried, cudaGetErrorString(code), name_in_source(file), line);
}

void fail_memory(size_t bytes) {
  cudaGetLastError();
  size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) fail("the GPU has no {:.2f} GiB of memory left", gib(bytes));
  fail("the GPU has not enough memory: {:.2f} GiB more are needed, {:.2f} of {:.2f} GiB are free", gib(bytes),
       gib(free), gib(total));
}

void fail_text(const std::string& text) { throw Error(text); }

}  // namespace phasor::cuda
