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

// After these the process can use the GPU no more: every later call gives the same answer, wherever it stands.
bool ends_the_process(cudaError_t code) {
  return code == cudaErrorIllegalAddress || code == cudaErrorLaunchFailure || code == cudaErrorAssert ||
         code == cudaErrorLaunchTimeout || code == cudaErrorMisalignedAddress || code == cudaErrorIllegalInstruction ||
         code == cudaErrorInvalidAddressSpace || code == cudaErrorInvalidPc || code == cudaErrorHardwareStackError ||
         code == cudaErrorECCUncorrectable;
}

}  // namespace

void fail_call(cudaError_t code, const char* tried, const char* file, int line) {
  cudaGetLastError();  // so that the next call does not meet it again
  const char* more = "";
  if (ends_the_process(code)) {
    more =
        "; a kernel, this one or one before it, broke the program's use of the GPU: start the program again (under "
        "compute-sanitizer, which names the kernel)";
  }
  fail("CUDA: {}: {} ({}, line {}){}", tried, cudaGetErrorString(code), name_in_source(file), line, more);
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
