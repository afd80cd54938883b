#include "phasor/engine/cuda/staging.h"

#include <algorithm>
#include <cstring>

#include "phasor/engine/cuda/check.h"

namespace phasor::cuda {
namespace {

// Larger ones are rare (parameters, data sets) and go the plain way.
constexpr size_t kMostBytes = size_t{8} << 20;
constexpr size_t kLeastBytes = size_t{4} << 10;

}  // namespace

Staging::~Staging() {
  for (const Slot& slot : slots_) {
    if (slot.copied != nullptr) {
      static_cast<void>(cudaEventSynchronize(slot.copied));
      static_cast<void>(cudaEventDestroy(slot.copied));
    }
    if (slot.data != nullptr) static_cast<void>(cudaFreeHost(slot.data));
  }
}

void Staging::copy_in(void* device, const void* host, size_t bytes, cudaStream_t stream) {
  if (bytes > kMostBytes) {
    // Pageable memory has been read when this returns.
    PHASOR_CUDA_CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    return;
  }
  Slot& slot = slots_[next_];
  next_ = (next_ + 1) % kSlots;
  if (slot.copied == nullptr) PHASOR_CUDA_CHECK(cudaEventCreateWithFlags(&slot.copied, cudaEventDisableTiming));
  PHASOR_CUDA_CHECK(cudaEventSynchronize(slot.copied));
  if (slot.bytes < bytes) {
    if (slot.data != nullptr) PHASOR_CUDA_CHECK(cudaFreeHost(slot.data));
    slot.data = nullptr;
    slot.bytes = 0;
    const size_t room = std::max(kLeastBytes, bytes + bytes / 4);
    PHASOR_CUDA_CHECK(cudaMallocHost(&slot.data, room));
    slot.bytes = room;
  }
  std::memcpy(slot.data, host, bytes);
  PHASOR_CUDA_CHECK(cudaMemcpyAsync(device, slot.data, bytes, cudaMemcpyHostToDevice, stream));
  PHASOR_CUDA_CHECK(cudaEventRecord(slot.copied, stream));
}

}  // namespace phasor::cuda
