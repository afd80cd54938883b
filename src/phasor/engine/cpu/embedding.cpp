#include <algorithm>

#include "phasor/engine/cpu/cpu_backend.h"
#include "phasor/engine/cpu/parallel.h"

namespace phasor {
namespace {

constexpr int64_t kRowGrain = 64;
// Gradients of a table are summed token by token; threads share the columns, so the order is fixed.
constexpr int64_t kColumnGrain = 16;

void add_row(float* to, const float* from, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] += from[i];
}

}  // namespace

void CpuBackend::run(const EmbeddingForward& op) {
  const int64_t width = op.y.extent(1);
  parallel_for(*op.sequences.tokens, kRowGrain, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      float* y = op.y.row(t);
      std::copy_n(op.table.row(op.ids(t)), width, y);
      if (!op.fixed.empty()) add_row(y, op.fixed.row(op.sequences.positions(t, 0)), width);
      if (!op.learned.empty()) add_row(y, op.learned.row(op.sequences.positions(t, 0)), width);
    }
  });
}

void CpuBackend::run(const EmbeddingBackward& op) {
  const int64_t width = op.dy.extent(1);
  const int64_t tokens = *op.sequences.tokens;
  parallel_for(width, kColumnGrain, [&](int64_t begin, int64_t end) {
    for (int64_t t = 0; t < tokens; ++t) {
      const float* dy = op.dy.row(t) + begin;
      add_row(op.dtable.row(op.ids(t)) + begin, dy, end - begin);
      if (!op.dlearned.empty()) add_row(op.dlearned.row(op.sequences.positions(t, 0)) + begin, dy, end - begin);
    }
  });
}

}  // namespace phasor
