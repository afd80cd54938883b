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

// Rows [begin, end) of dx.
void write_dx(const Gemm& gemm, const LinearBackward& op, int64_t begin, int64_t end) {
  const int64_t rows = end - begin, in = op.dx.columns();
  const Matrix dx = op.dx.row_range(begin, rows);
  const ConstMatrix dy = op.dy.row_range(begin, rows);
  const bool sloped = op.x_activation != Activation::none;
  // Without a slope, and where nothing is added to, the product lands in dx. bf16 is added to in fp32.
  const bool wide = op.dx.dtype() == Dtype::f32;
  const bool direct = sloped ? wide && !op.accumulate_dx : wide || !op.accumulate_dx;
  float* work = sloped || !direct ? float_scratch(ScratchSlot::tile, (direct ? 1 : rows + 1) * in) : nullptr;
  const Matrix z = direct ? dx : Matrix(work + in, Dtype::f32, rows, in);
  multiply_tile(gemm, {.c = z, .a = dy, .b = op.weight, .accumulate = direct && op.accumulate_dx});
  if (!sloped && direct) return;
  const ConstMatrix& kept = op.x_activation == Activation::relu ? op.x : op.x_preactivation;
  for (int64_t r = 0; r < rows; ++r) {
    float* row = z.row<float>(r);
    if (sloped) {
      read_row(work, kept.at(begin + r, 0), kept.dtype(), in);
      multiply_by_slope(op.x_activation, row, work, in);
    }
    if (direct) continue;
    if (op.accumulate_dx) {
      read_row(work, dx.at(r, 0), dx.dtype(), in);
#pragma omp simd
      for (int64_t c = 0; c < in; ++c) row[c] += work[c];
    }
    write_row(dx.at(r, 0), dx.dtype(), row, in);
  }
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
    float* work = float_scratch(ScratchSlot::tile, out);
    for (int64_t r = begin; r < end; ++r) {
      const float* dy = work;
      if (op.dy.dtype() == Dtype::f32) {
        dy = op.dy.row<float>(r);
      } else {
        read_row(work, op.dy.at(r, 0), op.dy.dtype(), out);
      }
#pragma omp simd
      for (int64_t c = 0; c < out; ++c) dbias[c] += dy[c];
    }
    if (!op.dx.empty()) write_dx(*gemm_, op, begin, end);
  });

  if (!op.dbias.empty()) {
    for (int64_t tile = 0; tile < tiles; ++tile) {
      const float* partial = &partial_sums_[static_cast<size_t>(tile * out)];
      for (int64_t c = 0; c < out; ++c) op.dbias(c) += partial[c];
    }
  }
  add_weight_gradient(*gemm_, {.dweight = op.dweight, .dy = op.dy.row_range(0, rows), .x = op.x.row_range(0, rows)},
                      partial_sums_);
}

}  // namespace phasor
