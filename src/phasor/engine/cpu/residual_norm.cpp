#include <algorithm>
#include <cmath>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/cpu_backend.h"
#include "phasor/engine/cpu/dropout_mask.h"
#include "phasor/engine/cpu/elements.h"
#include "phasor/engine/cpu/scratch.h"
#include "phasor/engine/cpu/simd.h"

namespace phasor {
namespace {

constexpr int64_t kRowGrain = 32;

// Gradients by weight and bias are summed in at most this many partial sums, whatever the thread
// count, and these are added in order.
constexpr int64_t kGradientChunks = 32;

float dot(const float* a, const float* b, int64_t n) {
  float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

float total(const float* a, int64_t n) {
  float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += a[i];
  return sum;
}

// x = dropout(x) for the row whose first element has index `first`.
void drop_row(float* x, int64_t width, uint64_t first, const DropoutMask& mask) {
  if (!mask.active()) return;
  const float scale = mask.keep_scale();
  const uint64_t end = first + static_cast<uint64_t>(width);
  std::array<uint64_t, 2> run{};
  for (uint64_t index = first; index < end;) {
    const uint64_t begin = index / DropoutMask::kRun * DropoutMask::kRun;
    if (index == first || index == begin) run = mask.keep_bits(begin);
    uint64_t bits = run[(index - begin) / 64] >> (index % 64);
    const uint64_t last = std::min(end, (index / 64 + 1) * 64);
    float* to = x + (index - first);
    for (; index + simd::kLanes <= last; index += simd::kLanes, to += simd::kLanes) {
      simd::store(to, simd::keep(simd::load(to) * scale, static_cast<uint16_t>(bits)));
      bits >>= simd::kLanes;
    }
    for (; index < last; ++index, ++to, bits >>= 1) *to = (bits & 1u) != 0 ? *to * scale : 0.0f;
  }
}

}  // namespace

void CpuBackend::run(const ResidualNormForward& op) {
  const int64_t width = op.residual.extent(1);
  const float scale = 1.0f / static_cast<float>(width);
  const DropoutMask mask(op.dropout);
  parallel_for(used_rows(op.rows.used, op.residual.extent(0)), kRowGrain, [&](int64_t begin, int64_t end) {
    float* work = float_scratch(ScratchSlot::tile, width);
    for (int64_t r = begin; r < end; ++r) {
      const float* x = op.residual.row(r);
      if (!op.branch.empty()) {
        read_row(work, op.branch.at(r, 0), op.branch.dtype(), width);
        drop_row(work, width, static_cast<uint64_t>(r * width), mask);
        float* sum = op.sum.row(r);
        const float* residual = op.residual.row(r);
#pragma omp simd
        for (int64_t c = 0; c < width; ++c) sum[c] = residual[c] + work[c];
        x = sum;
      }
      if (op.y.empty()) continue;
      float rstd;
      if (op.kind == NormKind::layer) {
        const float mean = total(x, width) * scale;
#pragma omp simd
        for (int64_t c = 0; c < width; ++c) work[c] = x[c] - mean;
        rstd = 1.0f / std::sqrt(dot(work, work, width) * scale + op.epsilon);
        op.mean(r) = mean;
#pragma omp simd
        for (int64_t c = 0; c < width; ++c) work[c] = work[c] * rstd * op.weight.data()[c] + op.bias.data()[c];
      } else {
        rstd = 1.0f / std::sqrt(dot(x, x, width) * scale + op.epsilon);
#pragma omp simd
        for (int64_t c = 0; c < width; ++c) work[c] = x[c] * rstd * op.weight.data()[c];
      }
      op.rstd(r) = rstd;
      write_row(op.y.at(r, 0), op.y.dtype(), work, width);
    }
  });
}

void CpuBackend::run(const ResidualNormBackward& op) {
  const int64_t rows = used_rows(op.rows.used, op.dsum.extent(0));
  const int64_t width = op.dsum.extent(1);
  const float scale = 1.0f / static_cast<float>(width);
  const bool layer = op.kind == NormKind::layer;
  const DropoutMask mask(op.dropout);
  const int64_t grain = std::max(kRowGrain, (rows + kGradientChunks - 1) / kGradientChunks);
  const int64_t chunks = chunk_count(rows, grain);
  partial_sums_.assign(static_cast<size_t>(chunks * 2 * width), 0.0f);

  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    float* dweight = &partial_sums_[static_cast<size_t>(begin / grain * 2 * width)];
    float* dbias = dweight + width;
    float* g = float_scratch(ScratchSlot::tile, 2 * width);
    float* normed = g + width;
    for (int64_t r = begin; r < end; ++r) {
      float* dsum = op.dsum.row(r);
      if (op.first) std::fill_n(dsum, width, 0.0f);
      if (!op.dy.empty()) {
        const float* x = op.sum.row(r);
        const float rstd = op.rstd(r);
        const float mean = layer ? op.mean(r) : 0.0f;
        read_row(g, op.dy.at(r, 0), op.dy.dtype(), width);
#pragma omp simd
        for (int64_t c = 0; c < width; ++c) {
          normed[c] = (x[c] - mean) * rstd;
          dweight[c] += g[c] * normed[c];
          dbias[c] += g[c];
          g[c] *= op.weight.data()[c];
        }
        // The norm forgets the mean (layer norm) and the length of its input: so does its gradient.
        const float along = dot(g, normed, width) * scale;
        const float offset = layer ? total(g, width) * scale : 0.0f;
#pragma omp simd
        for (int64_t c = 0; c < width; ++c) dsum[c] += rstd * (g[c] - offset - normed[c] * along);
      }
      if (!op.dbranch.empty()) {
        std::copy_n(dsum, width, g);
        drop_row(g, width, static_cast<uint64_t>(r * width), mask);
        write_row(op.dbranch.at(r, 0), op.dbranch.dtype(), g, width);
      }
    }
  });

  if (op.dy.empty()) return;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    const float* partial = &partial_sums_[static_cast<size_t>(chunk * 2 * width)];
    for (int64_t c = 0; c < width; ++c) op.dweight(c) += partial[c];
    if (!layer) continue;
    for (int64_t c = 0; c < width; ++c) op.dbias(c) += partial[width + c];
  }
}

}  // namespace phasor
