#include <algorithm>
#include <cmath>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/cpu_backend.h"
#include "phasor/engine/cpu/elements.h"
#include "phasor/engine/cpu/row_tiles.h"
#include "phasor/engine/cpu/scratch.h"
#include "phasor/engine/cpu/simd.h"

namespace phasor {
namespace {

// Logits exist for one block of rows at a time, of about this many numbers.
constexpr int64_t kBlockLogits = 1 << 22;

struct RowResult {
  float loss = 0.0f;
  int32_t prediction = 0;
};

// Turns a row of logits into weight * (softmax - one hot) in place.
RowResult finish_row(float* z, int64_t classes, int32_t target, float weight, bool gradient) {
  const float* peak = std::max_element(z, z + classes);
  const float largest = *peak;
  RowResult result{.prediction = static_cast<int32_t>(peak - z)};
  const bool scored = weight != 0.0f;
  const float target_logit = scored ? z[target] - largest : 0.0f;

  simd::Vec sums = {};
  int64_t c = 0;
  for (; c + simd::kLanes <= classes; c += simd::kLanes) {
    const simd::Vec e = simd::exp(simd::load(z + c) - largest);
    sums += e;
    simd::store(z + c, e);
  }
  float sum = simd::sum(sums);
  for (; c < classes; ++c) {
    z[c] = std::exp(z[c] - largest);
    sum += z[c];
  }
  if (scored) result.loss = std::log(sum) - target_logit;
  if (gradient) {
    const float scale = weight / sum;
#pragma omp simd
    for (int64_t i = 0; i < classes; ++i) z[i] *= scale;
    if (scored) z[target] -= weight;
  }
  return result;
}

}  // namespace

void CpuBackend::run(const LinearCrossEntropy& op) {
  const int64_t rows = used_rows(op.rows.used, op.x.rows());
  const int64_t classes = op.weight.rows();
  const bool gradient = !op.dx.empty();
  const Dtype dtype = op.x.dtype();
  const int64_t block_rows = std::max<int64_t>(1, kBlockLogits / classes / kTileRows) * kTileRows;
  const int64_t capacity = std::min(rows, block_rows);
  if (gradient) logits_.resize(std::max(logits_.size(), static_cast<size_t>(capacity * classes * byte_size(dtype))));

  for (int64_t block = 0; block < rows; block += block_rows) {
    const int64_t count = std::min(block_rows, rows - block);
    const Matrix dlogits(logits_.data(), dtype, count, classes);
    const int64_t tiles = chunk_count(count, kTileRows);
    std::vector<float>& dbias = partial_sums_;
    if (gradient) dbias.assign(static_cast<size_t>(tiles * classes), 0.0f);

    parallel_for(count, kTileRows, [&](int64_t begin, int64_t end) {
      const int64_t tile_rows = end - begin;
      Matrix z(float_scratch(ScratchSlot::tile, tile_rows * classes), Dtype::f32, tile_rows, classes);
      multiply_tile(*gemm_,
                    {.c = z, .a = op.x.row_range(block + begin, tile_rows), .b = op.weight, .b_transposed = true});
      for (int64_t r = 0; r < tile_rows; ++r) {
        auto* row = z.row<float>(r);
        if (!op.bias.empty()) {
#pragma omp simd
          for (int64_t c = 0; c < classes; ++c) row[c] += op.bias.data()[c];
        }
        const int64_t index = block + begin + r;
        const RowResult result = finish_row(row, classes, op.targets(index), op.target_weight(index), gradient);
        op.loss(index) = result.loss;
        op.prediction(index) = result.prediction;
        if (!gradient) continue;
        float* sums = &dbias[static_cast<size_t>(begin / kTileRows * classes)];
#pragma omp simd
        for (int64_t c = 0; c < classes; ++c) sums[c] += row[c];
        write_row(dlogits.at(begin + r, 0), dtype, row, classes);
      }
      if (!gradient) return;
      multiply_tile(*gemm_, {.c = op.dx.row_range(block + begin, tile_rows),
                             .a = ConstMatrix(dlogits).row_range(begin, tile_rows),
                             .b = op.weight});
    });

    if (!gradient) continue;
    if (!op.dbias.empty()) {
      for (int64_t tile = 0; tile < tiles; ++tile) {
        const float* sums = &dbias[static_cast<size_t>(tile * classes)];
        for (int64_t c = 0; c < classes; ++c) op.dbias(c) += sums[c];
      }
    }
    add_weight_gradient(*gemm_, {.dweight = op.dweight, .dy = dlogits, .x = op.x.row_range(block, count)},
                        partial_sums_);
  }
}

}  // namespace phasor
