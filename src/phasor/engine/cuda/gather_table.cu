#include <cub/device/device_radix_sort.cuh>
#include <limits>

#include "phasor/engine/cuda/cuda_backend.h"
#include "phasor/engine/cuda/elements.h"

namespace phasor {
namespace cuda {
namespace {

constexpr int kThreads = 256;

__global__ void gather_forward(GatherTableForward op) {
  for (int64_t e = grid_first(); e < op.table.size(); e += grid_step()) {
    const int32_t index = op.index.data()[e];
    if (index >= 0) op.table.data()[e] += op.parameter.data()[index];
  }
}

__global__ void number_entries(int32_t* entries, int64_t count) {
  for (int64_t e = grid_first(); e < count; e += grid_step()) entries[e] = static_cast<int32_t>(e);
}

// Entries come sorted by parameter and, within one, in their own order. The first of a parameter adds them all.
__global__ void add_sorted(float* dparameter, const float* dtable, const int32_t* parameter, const int32_t* entry,
                           int64_t count) {
  for (int64_t i = grid_first(); i < count; i += grid_step()) {
    const int32_t own = parameter[i];
    if (own < 0 || (i > 0 && parameter[i - 1] == own)) continue;
    float sum = dparameter[own];
    for (int64_t j = i; j < count && parameter[j] == own; ++j) sum += dtable[entry[j]];
    dparameter[own] = sum;
  }
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const GatherTableForward& op) {
  using namespace cuda;
  if (op.table.size() == 0) return;
  gather_forward<<<grid_of(op.table.size(), kThreads), kThreads, 0, context().stream>>>(op);
  PHASOR_CUDA_LAUNCHED();
}

void CudaBackend::run(const GatherTableBackward& op) {
  using namespace cuda;
  const int64_t count = op.dtable.size();
  if (count == 0) return;
  if (count > std::numeric_limits<int32_t>::max()) fail_text("a table of more than 2^31 entries");
  const cudaStream_t stream = context().stream;
  const ScratchArray<int32_t> numbers(context(), count), parameters(context(), count), entries(context(), count);
  number_entries<<<grid_of(count, kThreads), kThreads, 0, stream>>>(numbers.data(), count);
  PHASOR_CUDA_LAUNCHED();
  // A radix sort is stable: the entries of a parameter keep their order.
  size_t bytes = 0;
  const auto sort = [&](void* work) {
    PHASOR_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(work, bytes, op.index.data(), parameters.data(), numbers.data(),
                                                      entries.data(), count, 0, 32, stream));
  };
  sort(nullptr);
  const Scratch work(context(), std::max<size_t>(bytes, 1));
  sort(work.as<void>());
  add_sorted<<<grid_of(count, kThreads), kThreads, 0, stream>>>(op.dparameter.data(), op.dtable.data(),
                                                                parameters.data(), entries.data(), count);
  PHASOR_CUDA_LAUNCHED();
}

}  // namespace phasor
