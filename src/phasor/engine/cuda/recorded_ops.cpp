#include "phasor/engine/cuda/recorded_ops.h"

#include <exception>

#include "phasor/engine/cuda/check.h"

namespace phasor::cuda {

RecordedOps::~RecordedOps() {
  for (const auto& [key, graph] : graphs_) {
    if (graph != nullptr) static_cast<void>(cudaGraphExecDestroy(graph));
  }
}

void RecordedOps::run(const RepeatKey& key, const std::function<void()>& ops, cudaStream_t stream) {
  if (is_recording_) return ops();  // a list within a list is part of it
  const auto [known, is_new] = graphs_.try_emplace(key, nullptr);
  if (is_new) return ops();
  if (known->second == nullptr) {
    is_recording_ = true;
    try {
      known->second = record(ops, stream);
    } catch (...) {
      is_recording_ = false;
      throw;
    }
    is_recording_ = false;
  }
  PHASOR_CUDA_CHECK(cudaGraphLaunch(known->second, stream));
}

cudaGraphExec_t RecordedOps::record(const std::function<void()>& ops, cudaStream_t stream) {
  PHASOR_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  std::exception_ptr failure;
  try {
    ops();
  } catch (...) {
    failure = std::current_exception();
  }
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  if (failure) {
    if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
    static_cast<void>(cudaGetLastError());
    std::rethrow_exception(failure);
  }
  check(ended, "recording ops", __FILE__, __LINE__);
  cudaGraphExec_t recorded = nullptr;
  const cudaError_t made = cudaGraphInstantiate(&recorded, graph, 0);
  static_cast<void>(cudaGraphDestroy(graph));
  check(made, "preparing recorded ops", __FILE__, __LINE__);
  return recorded;
}

void RecordedOps::forget(uint64_t owner) {
  for (auto entry = graphs_.lower_bound({.owner = owner}); entry != graphs_.end() && entry->first.owner == owner;) {
    if (entry->second != nullptr) static_cast<void>(cudaGraphExecDestroy(entry->second));
    entry = graphs_.erase(entry);
  }
}

}  // namespace phasor::cuda
