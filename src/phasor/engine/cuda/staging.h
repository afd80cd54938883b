#pragma once
// Copies to the device that nobody waits for: through pinned host memory, a few of them at once on their way.
#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>

namespace phasor::cuda {

class Staging {
 public:
  Staging() = default;
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // `host` has been read when this returns.
  void copy_in(void* device, const void* host, size_t bytes, cudaStream_t stream);

 private:
  struct Slot {
    void* data = nullptr;
    size_t bytes = 0;
    cudaEvent_t copied = nullptr;  // what was last put here is on the device
  };

  static constexpr size_t kSlots = 8;
  std::array<Slot, kSlots> slots_;
  size_t next_ = 0;
};

}  // namespace phasor::cuda
