#include "phasor/engine/cuda/context.h"

namespace phasor::cuda {

Scratch::Scratch(const CudaContext& context, size_t bytes) : stream_(context.stream) {
  if (bytes == 0) return;
  const cudaError_t code = cudaMallocFromPoolAsync(&data_, bytes, context.pool, context.stream);
  if (code == cudaErrorMemoryAllocation) fail_memory(bytes);
  check(code, "taking working memory", __FILE__, __LINE__);
}

Scratch::~Scratch() {
  // What could fail here has failed before, and was said there.
  if (data_ != nullptr) static_cast<void>(cudaFreeAsync(data_, stream_));
}

}  // namespace phasor::cuda
