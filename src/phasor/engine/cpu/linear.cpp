#include <algorithm>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/activation_math.h"
#include "phasor/engine/cpu/cpu_backend.h"
#include "phasor/engine/cpu/elements.h"
#include "phasor/engine/cpu/row_tiles.h"
#include "phasor/engine/cpu/scratch.h"

namespace phasor {
namespace {

void add_bias(float* row, const View<const float, 1>& bias, int64_t count) {
  if (bias.empty()) return;
#pragma omp simd
  for (int64_t c = 0; c < count; ++c) row[c] += bias.data()[c];
}

}  // namespace

void CpuBackend::run(const LinearForward& op) {
  const int64_t out = op.y.columns();
  const bool direct = op.y.dtype() == Dtype::f32;  // the product lands in y and is finished in place
  parallel_for(used_rows(op.rows.used, op.x.rows()), kTileRows, [&](int64_t begin, int64_t end) {
    const int64_t rows = end - begin;
    Matrix z = op.y.row_range(begin, rows);
    if (!direct) z = Matrix(float_scratch(ScratchSlot::tile, rows * out), Dtype::f32, rows, out);
    multiply_tile(*gemm_, {.c = z, .a = op.x.row_range(begin, rows), .b = op.weight, .b_transposed = true});
    for (int64_t r = 0; r < rows; ++r) {
      auto* row = z.row<float>(r);
      add_bias(row, op.bias, out);
      if (op.activation == Activation::gelu) {
        write_row(op.preactivation.at(begin + r, 0), op.preactivation.dtype(), row, out);
      }
      activate(op.activation, row, out);
      if (!direct) write_row(op.y.at(begin + r, 0), op.y.dtype(), row, out);
    }
  });
}

void CpuBackend::run(const LinearBackward& op) {
  const int64_t rows = used_rows(op.rows.used, op.dy.rows());
  const int64_t out = op.dy.columns();
  const int64_t tiles = chunk_count(rows, kTileRows);
  partial_sums_.assign(static_cast<size_t>(tiles * out), 0.0f);

  parallel_for(rows, kTileRows, [&](int64_t begin, int64_t end) {
    float* dbias = &partial_sums_[static_cast<size_t>(begin / kTileRows * out)];
    float* work = float_scratch(ScratchSlot::tile, 2 * out);
    const bool direct = op.dy.dtype() == Dtype::f32;  // worked on in place
    for (int64_t r = begin; r < end; ++r) {
      float* dz = direct ? op.dy.row<float>(r) : work;
      if (!direct) read_row(dz, op.dy.at(r, 0), op.dy.dtype(), out);
      if (op.activation != Activation::none) {
        const ConstMatrix& kept = op.activation == Activation::relu ? op.y : op.preactivation;
        read_row(work + out, kept.at(r, 0), kept.dtype(), out);
        multiply_by_slope(op.activation, dz, work + out, out);
        if (!direct) write_row(op.dy.at(r, 0), op.dy.dtype(), dz, out);
      }
#pragma omp simd
      for (int64_t c = 0; c < out; ++c) dbias[c] += dz[c];
    }
    if (op.dx.empty()) return;
    multiply_tile(*gemm_, {.c = op.dx.row_range(begin, end - begin),
                           .a = ConstMatrix(op.dy).row_range(begin, end - begin),
                           .b = op.weight,
                           .accumulate = op.accumulate_dx});
  });

  if (!op.dbias.empty()) {
    for (int64_t tile = 0; tile < tiles; ++tile) {
      const float* partial = &partial_sums_[static_cast<size_t>(tile * out)];
      for (int64_t c = 0; c < out; ++c) op.dbias(c) += partial[c];
    }
  }
  add_weight_gradient(
      *gemm_, {.dweight = op.dweight, .dy = ConstMatrix(op.dy).row_range(0, rows), .x = op.x.row_range(0, rows)},
      partial_sums_);
}

}  // namespace phasor
