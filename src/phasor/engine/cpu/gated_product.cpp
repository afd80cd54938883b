// y = silu(g) c with g and c side by side in x.
#include <cmath>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/cpu_backend.h"
#include "phasor/engine/cpu/elements.h"
#include "phasor/engine/cpu/scratch.h"
#include "phasor/engine/cpu/simd.h"

namespace phasor {
namespace {

using simd::kLanes;
using simd::Vec;

constexpr int64_t kGateRows = 64;

[[gnu::always_inline]] inline Vec sigmoid(Vec x) { return 1.0f / (1.0f + simd::exp(-x)); }

// Columns in pieces of whole vectors: [pieces of g, then of c].
struct Halves {
  float *gate, *content, *other;

  explicit Halves(int64_t width) {
    const int64_t padded = simd::round_up(width);
    gate = float_scratch(ScratchSlot::tile, 3 * padded);
    content = gate + padded;
    other = content + padded;
    std::fill_n(gate, 3 * padded, 0.0f);
  }

  void read(const ConstMatrix& x, int64_t row, int64_t width) const {
    read_row(gate, x.at(row, 0), x.dtype(), width);
    read_row(content, x.at(row, width), x.dtype(), width);
  }
};

}  // namespace

void CpuBackend::run(const GatedProductForward& op) {
  const int64_t width = op.y.columns();
  parallel_for(used_rows(op.rows.used, op.x.rows()), kGateRows, [&](int64_t begin, int64_t end) {
    const Halves halves(width);
    for (int64_t r = begin; r < end; ++r) {
      halves.read(op.x, r, width);
      for (int64_t c = 0; c < width; c += kLanes) {
        const Vec g = simd::load(halves.gate + c);
        simd::store(halves.other + c, g * sigmoid(g) * simd::load(halves.content + c));
      }
      write_row(op.y.at(r, 0), op.y.dtype(), halves.other, width);
    }
  });
}

void CpuBackend::run(const GatedProductBackward& op) {
  const int64_t width = op.dy.columns();
  parallel_for(used_rows(op.rows.used, op.x.rows()), kGateRows, [&](int64_t begin, int64_t end) {
    const Halves halves(width);
    for (int64_t r = begin; r < end; ++r) {
      halves.read(op.x, r, width);
      read_row(halves.other, op.dy.at(r, 0), op.dy.dtype(), width);
      for (int64_t c = 0; c < width; c += kLanes) {
        const Vec g = simd::load(halves.gate + c);
        const Vec dy = simd::load(halves.other + c);
        const Vec open = sigmoid(g);
        // silu'(g) = s + g s (1 - s), s the sigmoid of g; 1 - s is that of -g.
        simd::store(halves.gate + c, dy * simd::load(halves.content + c) * (open + g * open * sigmoid(-g)));
        simd::store(halves.content + c, dy * g * open);
      }
      write_row(op.dx.at(r, 0), op.dx.dtype(), halves.gate, width);
      write_row(op.dx.at(r, width), op.dx.dtype(), halves.content, width);
    }
  });
}

}  // namespace phasor
