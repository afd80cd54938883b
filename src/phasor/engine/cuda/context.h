#pragma once
// What a kernel's launcher needs to know: the stream, the device, and where working memory comes from.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "phasor/engine/cuda/check.h"

namespace phasor::cuda {

// Of one backend. Everything it launches goes to its one stream, in the order of the calls.
struct CudaContext {
  cudaStream_t stream = nullptr;
  cudaMemPool_t pool = nullptr;  // of the backend: gives memory back to the device when the backend ends
  int device = 0;
  int multiprocessors = 1;
  int shared_memory_per_block = 48 << 10;  // bytes, with cudaFuncAttributeMaxDynamicSharedMemorySize
  int compute_capability = 80;             // 90 for 9.0
};

// Working memory of one op, undefined at first. Freed in stream order: it may go out of scope right behind the launch
// that uses it, and the next op's may be the same bytes.
class Scratch {
 public:
  Scratch(const CudaContext& context, size_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

template <class T>
class ScratchArray {
 public:
  ScratchArray(const CudaContext& context, int64_t count) : scratch_(context, static_cast<size_t>(count) * sizeof(T)) {}
  T* data() const { return scratch_.as<T>(); }

 private:
  Scratch scratch_;
};

}  // namespace phasor::cuda
