#include "phasor/engine/cpu/row_tiles.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/scratch.h"

namespace phasor {
namespace {

int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

// The rows copied into scratch, followed by zeros up to `rows`; columns become contiguous.
ConstMatrix padded_copy(ScratchSlot slot, const ConstMatrix& from, int64_t rows) {
  const int64_t row_bytes = from.columns() * byte_size(from.dtype());
  auto* to = static_cast<std::byte*>(thread_scratch(slot, rows * row_bytes));
  for (int64_t r = 0; r < from.rows(); ++r)
    std::memcpy(to + r * row_bytes, from.at(r, 0), static_cast<size_t>(row_bytes));
  std::memset(to + from.rows() * row_bytes, 0, static_cast<size_t>((rows - from.rows()) * row_bytes));
  return {to, from.dtype(), rows, from.columns()};
}

// How many row ranges the sum of a weight gradient is cut into: enough to feed many threads when the
// output has few tiles, but none so short that packing costs more than multiplying.
constexpr int64_t kOutputTile = 64;
constexpr int64_t kInputTile = 512;
constexpr int64_t kDepth = 512;  // rows of one library call
constexpr int64_t kDepthStep = 32;
static_assert(kDepth % kDepthStep == 0);  // whole calls are not padded
constexpr int64_t kWantedItems = 16;

}  // namespace

void multiply_tile(const Gemm& gemm, const TileProduct& p) {
  const int64_t rows = p.a.rows();
  const int64_t n = p.c.columns();
  const int64_t padded = round_up(rows, gemm.sizes_are_alike() ? kTailRows : kTileRows);
  Product product{.m = padded,
                  .n = n,
                  .k = p.a.columns(),
                  .operands = p.a.dtype(),
                  .a = p.a.data(),
                  .a_stride = p.a.stride(),
                  .b = p.b.data(),
                  .b_stride = p.b.stride(),
                  .b_transposed = p.b_transposed,
                  .c = p.c.data(),
                  .c_stride = p.c.stride(),
                  .result = p.c.dtype(),
                  .accumulate = p.accumulate};
  if (padded == rows) {
    gemm.multiply(product);
    return;
  }
  // Strides stay: a library may choose its kernel by them too.
  const int64_t a_row_bytes = p.a.stride() * byte_size(p.a.dtype());
  const int64_t c_row_bytes = p.c.stride() * byte_size(p.c.dtype());
  const auto a_bytes = static_cast<size_t>(p.a.columns() * byte_size(p.a.dtype()));
  const auto c_bytes = static_cast<size_t>(n * byte_size(p.c.dtype()));
  auto* a = static_cast<std::byte*>(thread_scratch(ScratchSlot::packed_a, padded * a_row_bytes));
  auto* c = static_cast<std::byte*>(thread_scratch(ScratchSlot::packed_b, padded * c_row_bytes));
  for (int64_t r = 0; r < padded; ++r) {
    if (r < rows) {
      std::memcpy(a + r * a_row_bytes, p.a.at(r, 0), a_bytes);
      if (p.accumulate) std::memcpy(c + r * c_row_bytes, p.c.at(r, 0), c_bytes);
    } else {
      std::memset(a + r * a_row_bytes, 0, a_bytes);
      if (p.accumulate) std::memset(c + r * c_row_bytes, 0, c_bytes);
    }
  }
  product.a = a;
  product.c = c;
  gemm.multiply(product);
  for (int64_t r = 0; r < rows; ++r) std::memcpy(p.c.at(r, 0), c + r * c_row_bytes, c_bytes);
}

void add_weight_gradient(const Gemm& gemm, const WeightGradient& g, std::vector<float>& partial_sums) {
  const int64_t out = g.dweight.extent(0);
  const int64_t in = g.dweight.extent(1);
  const int64_t rows = g.dy.rows();
  if (rows == 0) return;
  const int64_t out_tiles = chunk_count(out, kOutputTile);
  const int64_t in_tiles = chunk_count(in, kInputTile);
  const int64_t tiles = out_tiles * in_tiles;
  const int64_t wanted = std::clamp<int64_t>(kWantedItems / tiles, 1, chunk_count(rows, kDepth));
  const int64_t range_rows = round_up(chunk_count(rows, wanted), kDepthStep);
  const int64_t ranges = chunk_count(rows, range_rows);  // rounding may leave fewer
  // With one range the gradient itself is the accumulator; otherwise ranges are added up in order.
  if (ranges > 1) partial_sums.resize(std::max(partial_sums.size(), static_cast<size_t>(ranges * out * in)));

  parallel_for(tiles * ranges, 1, [&](int64_t item, int64_t) {
    const int64_t range = item / tiles;
    const int64_t first_out = item % tiles / in_tiles * kOutputTile;
    const int64_t first_in = item % in_tiles * kInputTile;
    const int64_t out_count = std::min(kOutputTile, out - first_out);
    const int64_t in_count = std::min(kInputTile, in - first_in);
    float* sums = ranges > 1 ? &partial_sums[static_cast<size_t>(range * out * in)] : g.dweight.data();
    const int64_t stride = ranges > 1 ? in : g.dweight.stride(0);
    const int64_t last = std::min(rows, (range + 1) * range_rows);
    for (int64_t first = range * range_rows; first < last; first += kDepth) {
      const int64_t depth = std::min(kDepth, last - first);
      const int64_t padded = round_up(depth, kDepthStep);
      ConstMatrix dy = g.dy.row_range(first, depth).column_range(first_out, out_count);
      ConstMatrix x = g.x.row_range(first, depth).column_range(first_in, in_count);
      if (padded != depth) {
        dy = padded_copy(ScratchSlot::packed_a, dy, padded);
        x = padded_copy(ScratchSlot::packed_b, x, padded);
      }
      gemm.multiply({.m = out_count,
                     .n = in_count,
                     .k = padded,
                     .operands = dy.dtype(),
                     .a = dy.data(),
                     .a_stride = dy.stride(),
                     .a_transposed = true,
                     .b = x.data(),
                     .b_stride = x.stride(),
                     .c = sums + first_out * stride + first_in,
                     .c_stride = stride,
                     .accumulate = ranges == 1 || first > range * range_rows});
    }
  });

  if (ranges == 1) return;
  parallel_for(out, 16, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      float* to = g.dweight.row(o);
      for (int64_t range = 0; range < ranges; ++range) {
        const float* from = &partial_sums[static_cast<size_t>((range * out + o) * in)];
#pragma omp simd
        for (int64_t i = 0; i < in; ++i) to[i] += from[i];
      }
    }
  });
}

}  // namespace phasor
