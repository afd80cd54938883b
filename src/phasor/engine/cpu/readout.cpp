#include <algorithm>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/cpu_backend.h"
#include "phasor/engine/cpu/elements.h"

namespace phasor {
namespace {

constexpr int64_t kSequenceGrain = 4;

int64_t picked_row(const Sequences& sequences, const View<const int32_t, 1>& place, int64_t s) {
  return place(s) >= 0 ? sequences.offsets(s) + place(s) : sequences.offsets(s + 1) + place(s);
}

}  // namespace

void CpuBackend::run(const MeanPoolForward& op) {
  const int64_t width = op.pooled.extent(1);
  with_element(op.x.dtype(), [&]<class T>(T*) {
    parallel_for(*op.sequences.count, kSequenceGrain, [&](int64_t begin, int64_t end) {
      for (int64_t s = begin; s < end; ++s) {
        float* pooled = op.pooled.row(s);
        std::fill_n(pooled, width, 0.0f);
        const int64_t first = op.sequences.offsets(s);
        const int64_t last = op.sequences.offsets(s + 1);
        for (int64_t t = first; t < last; ++t) {
          const T* x = op.x.row<T>(t);
#pragma omp simd
          for (int64_t c = 0; c < width; ++c) pooled[c] += to_float(x[c]);
        }
        const float scale = last > first ? 1.0f / static_cast<float>(last - first) : 0.0f;
        for (int64_t c = 0; c < width; ++c) pooled[c] *= scale;
      }
    });
  });
}

void CpuBackend::run(const MeanPoolBackward& op) {
  const int64_t width = op.dpooled.extent(1);
  with_element(op.dx.dtype(), [&]<class T>(T*) {
    parallel_for(*op.sequences.count, kSequenceGrain, [&](int64_t begin, int64_t end) {
      for (int64_t s = begin; s < end; ++s) {
        const float* dpooled = op.dpooled.row(s);
        const int64_t first = op.sequences.offsets(s);
        const int64_t last = op.sequences.offsets(s + 1);
        const float scale = last > first ? 1.0f / static_cast<float>(last - first) : 0.0f;
        for (int64_t t = first; t < last; ++t) {
          T* dx = op.dx.row<T>(t);
#pragma omp simd
          for (int64_t c = 0; c < width; ++c) write(dx[c], dpooled[c] * scale);
        }
      }
    });
  });
}

void CpuBackend::run(const PickTokenForward& op) {
  const int64_t width = op.picked.extent(1);
  parallel_for(*op.sequences.count, kSequenceGrain, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      read_row(op.picked.row(s), op.x.at(picked_row(op.sequences, op.place, s), 0), op.x.dtype(), width);
    }
  });
}

void CpuBackend::run(const PickTokenBackward& op) {
  const int64_t width = op.dpicked.extent(1);
  parallel_for(*op.sequences.count, kSequenceGrain, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      const int64_t row_bytes = width * byte_size(op.dx.dtype());
      for (int64_t t = op.sequences.offsets(s); t < op.sequences.offsets(s + 1); ++t) {
        std::fill_n(static_cast<std::byte*>(op.dx.at(t, 0)), row_bytes, std::byte{0});
      }
      write_row(op.dx.at(picked_row(op.sequences, op.place, s), 0), op.dx.dtype(), op.dpicked.row(s), width);
    }
  });
}

}  // namespace phasor
