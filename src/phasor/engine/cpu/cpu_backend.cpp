#include "phasor/engine/cpu/cpu_backend.h"

#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "phasor/base/error.h"
#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/elements.h"

namespace phasor {

std::string CpuBackend::description() const {
  return fmt::format("cpu, {} threads, products by {}", omp_get_max_threads(), gemm_->name());
}

Memory CpuBackend::allocate(size_t bytes) {
  if (bytes == 0) return {};
  // Anonymous pages: zeros, and resident only once touched, so capacities may be generous.
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) fail("cannot reserve {} MiB of memory: {}", bytes >> 20, std::strerror(errno));
  madvise(data, bytes, MADV_HUGEPAGE);
  return {data, bytes, [](void* p, size_t n, void*) { munmap(p, n); }};
}

void CpuBackend::copy_in(void* device, const void* host, size_t bytes) {
  if (bytes > 0) std::memcpy(device, host, bytes);
}

void CpuBackend::copy_out(void* host, const void* device, size_t bytes) {
  if (bytes > 0) std::memcpy(host, device, bytes);
}

void CpuBackend::run(const Fill& op) {
  parallel_for(op.x.size(), 1 << 16,
               [&](int64_t begin, int64_t end) { std::fill(op.x.data() + begin, op.x.data() + end, op.value); });
}

void CpuBackend::run(const Clamp& op) {
  parallel_for(op.x.size(), 1 << 16, [&](int64_t begin, int64_t end) {
    float* x = op.x.data();
#pragma omp simd
    for (int64_t i = begin; i < end; ++i) {
      const float raised = x[i] < op.least ? op.least : x[i];  // NaN stays NaN
      x[i] = raised > op.most ? op.most : raised;
    }
  });
}

void CpuBackend::run(const Cast& op) {
  const int64_t columns = op.from.columns();
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(1, columns));
  with_element(op.to.dtype(), [&]<class To>(To*) {
    with_element(op.from.dtype(), [&]<class From>(From*) {
      parallel_for(op.from.rows(), grain, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          To* to = op.to.row<To>(r);
          const From* from = op.from.row<From>(r);
#pragma omp simd
          for (int64_t c = 0; c < columns; ++c) write(to[c], to_float(from[c]));
        }
      });
    });
  });
}

std::unique_ptr<Backend> make_cpu_backend() {
  return std::make_unique<CpuBackend>(std::move(available_gemms().front()));
}

}  // namespace phasor
