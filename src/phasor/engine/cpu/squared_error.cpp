#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/cpu_backend.h"
#include "phasor/engine/cpu/elements.h"
#include "phasor/engine/cpu/scratch.h"
#include "phasor/engine/cpu/simd.h"

namespace phasor {
namespace {

// Rows whose share of the weight gradient is summed in one place.
constexpr int64_t kErrorRows = 128;

// A row as floats, with zeros up to a whole number of vectors.
void read_padded(float* to, const void* from, Dtype dtype, int64_t width) {
  read_row(to, from, dtype, width);
  std::fill(to + width, to + simd::round_up(width), 0.0f);
}

float padded_dot(const float* a, const float* b, int64_t width) {
  simd::Vec sums = {};
  for (int64_t c = 0; c < width; c += simd::kLanes) sums += simd::load(a + c) * simd::load(b + c);
  return simd::sum(sums);
}

int32_t nearest_whole(double value) {
  constexpr auto kLeast = std::numeric_limits<int32_t>::min();
  constexpr auto kMost = std::numeric_limits<int32_t>::max();
  if (std::isnan(value)) return kLeast;
  const double below = std::floor(std::clamp(value, double{kLeast}, double{kMost}));
  return static_cast<int32_t>(value - below >= 0.5 && below < kMost ? below + 1.0 : below);
}

}  // namespace

void CpuBackend::run(const LinearSquaredError& op) {
  const int64_t rows = used_rows(op.rows.used, op.x.rows());
  const int64_t width = op.x.columns();
  const int64_t padded = simd::round_up(width);
  const bool gradient = !op.dx.empty();
  const int64_t chunks = chunk_count(rows, kErrorRows);
  // Of each chunk, the gradient by the weight and behind it the one by the bias.
  if (gradient) partial_sums_.assign(static_cast<size_t>(chunks * (padded + 1)), 0.0f);

  parallel_for(rows, kErrorRows, [&](int64_t begin, int64_t end) {
    float* weight = float_scratch(ScratchSlot::tile, 3 * padded);
    float* x = weight + padded;
    float* dx = x + padded;
    read_padded(weight, op.weight.at(0, 0), op.weight.dtype(), width);
    float* dweight = gradient ? &partial_sums_[static_cast<size_t>(begin / kErrorRows * (padded + 1))] : nullptr;
    for (int64_t r = begin; r < end; ++r) {
      read_padded(x, op.x.at(r, 0), op.x.dtype(), width);
      const float y = padded_dot(x, weight, width) + (op.bias.empty() ? 0.0f : op.bias(0));
      // A product of two floats is exact in double.
      op.prediction(r) = nearest_whole(double{op.centre} + double{op.unit} * double{y});
      const float row_weight = op.target_weight(r);
      const bool scored = row_weight != 0.0f;
      // (value - target) / unit without the detour over the value, which would cost digits far from 0.
      const double wanted = scored ? (static_cast<double>(op.targets(r)) - double{op.centre}) / double{op.unit} : 0.0;
      const float error = scored ? static_cast<float>(double{y} - wanted) : 0.0f;
      op.loss(r) = error * error;
      if (!gradient) continue;
      const float dy = 2.0f * row_weight * error;
#pragma omp simd
      for (int64_t c = 0; c < width; ++c) dx[c] = dy * weight[c];
      write_row(op.dx.at(r, 0), op.dx.dtype(), dx, width);
#pragma omp simd
      for (int64_t c = 0; c < width; ++c) dweight[c] += dy * x[c];
      dweight[padded] += dy;
    }
  });

  if (!gradient) return;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    const float* sums = &partial_sums_[static_cast<size_t>(chunk * (padded + 1))];
    for (int64_t c = 0; c < width; ++c) op.dweight(0, c) += sums[c];
    if (!op.dbias.empty()) op.dbias(0) += sums[padded];
  }
}

}  // namespace phasor
