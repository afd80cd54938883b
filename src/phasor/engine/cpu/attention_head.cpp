#include "phasor/engine/cpu/attention_head.h"

#include <algorithm>
#include <limits>

#include "phasor/engine/cpu/elements.h"
#include "phasor/engine/cpu/small_product.h"

namespace phasor {
namespace {

using simd::kLanes;
using simd::Vec;

// (a + i b)(f0 + i f1) for the pairs of one row; Back multiplies by the conjugate instead.
template <bool Back>
void turn_interleaved(float* x, const float* f, int64_t pairs) {
  constexpr float kSign = Back ? -1.0f : 1.0f;
  const Vec signs = {-kSign, kSign, -kSign, kSign, -kSign, kSign, -kSign, kSign,
                     -kSign, kSign, -kSign, kSign, -kSign, kSign, -kSign, kSign};
  int64_t c = 0;
  for (; c + kLanes / 2 <= pairs; c += kLanes / 2) {
    const Vec v = simd::load(x + 2 * c);
    const Vec factors = simd::load(f + 2 * c);
    const Vec swapped = __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    const Vec real = __builtin_shufflevector(factors, factors, 0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14);
    const Vec imaginary =
        __builtin_shufflevector(factors, factors, 1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 15, 15);
    simd::store(x + 2 * c, v * real + swapped * (imaginary * signs));
  }
  for (; c < pairs; ++c) {
    const float a = x[2 * c];
    const float b = x[2 * c + 1];
    const float imaginary = kSign * f[2 * c + 1];
    x[2 * c] = a * f[2 * c] - b * imaginary;
    x[2 * c + 1] = b * f[2 * c] + a * imaginary;
  }
}

template <bool Back>
void turn_halves(float* x, const float* f, int64_t pairs) {
  constexpr float kSign = Back ? -1.0f : 1.0f;
#pragma omp simd
  for (int64_t c = 0; c < pairs; ++c) {
    const float a = x[c];
    const float b = x[pairs + c];
    const float imaginary = kSign * f[2 * c + 1];
    x[c] = a * f[2 * c] - b * imaginary;
    x[pairs + c] = b * f[2 * c] + a * imaginary;
  }
}

// Pairs that follow different position axes: one factor row per pair.
template <bool Back>
void turn_by_axes(float* x, const View<const float, 4>& table, int64_t set, const int32_t* positions,
                  const RotationTable& rotation) {
  constexpr float kSign = Back ? -1.0f : 1.0f;
  const int64_t pairs = table.extent(2);
  for (int64_t c = 0; c < pairs; ++c) {
    const float* f = table.row(set, positions[rotation.pair_axis(c)], c);
    float& first = rotation.halves ? x[c] : x[2 * c];
    float& second = rotation.halves ? x[pairs + c] : x[2 * c + 1];
    const float a = first;
    const float b = second;
    first = a * f[0] - b * kSign * f[1];
    second = b * f[0] + a * kSign * f[1];
  }
}

template <bool Back>
void turn_rows(float* x, int64_t stride, const View<const float, 4>& table, const Attention& attention,
               const HeadPlace& place, int64_t first_row, int64_t rows) {
  const RotationTable& rotation = attention.rotation;
  if (table.empty() || rotation.head_set(place.head) < 0) return;
  const int64_t set = place.table * rotation.sets + rotation.head_set(place.head);
  const int64_t pairs = table.extent(2);
  for (int64_t r = 0; r < rows; ++r) {
    float* row = x + r * stride + rotation.first;
    const int32_t* positions = attention.sequences.positions.row(place.first + first_row + r);
    if (!rotation.pair_axis.empty()) {
      turn_by_axes<Back>(row, table, set, positions, rotation);
      continue;
    }
    const float* factors = table.row(set, positions[0], 0);
    if (rotation.halves) {
      turn_halves<Back>(row, factors, pairs);
    } else {
      turn_interleaved<Back>(row, factors, pairs);
    }
  }
}

float logit_scale(const Attention& attention, int64_t head) {
  return attention.head_scale.empty() ? attention.scale : attention.scale * attention.head_scale(head);
}

void scale_rows(float* x, int64_t count, float scale) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) x[i] *= scale;
}

// Copies columns of a matrix into rows of `stride` floats, starting at `offset`, without padding.
void copy_columns(float* to, int64_t stride, int64_t offset, const ConstMatrix& from, const HeadPlace& place,
                  int64_t first_column, int64_t columns) {
  with_element(from.dtype(), [&]<class T>(T*) {
    for (int64_t r = 0; r < place.length; ++r) {
      read_row(to + r * stride + offset, from.row<T>(place.first + r) + first_column, columns);
    }
  });
}

void zero_padding(float* x, int64_t stride, int64_t columns, int64_t rows) {
  if (stride != columns) {
    for (int64_t r = 0; r < rows; ++r) std::fill(x + r * stride + columns, x + (r + 1) * stride, 0.0f);
  }
  std::fill(x + rows * stride, x + simd::round_up(rows) * stride, 0.0f);
}

}  // namespace

HeadPlace head_place(const Attention& attention, int64_t sequence, int64_t head) {
  const int64_t first = attention.sequences.offsets(sequence);
  return {.sequence = sequence,
          .first = first,
          .length = attention.sequences.offsets(sequence + 1) - first,
          .head = head,
          .key_head = head * attention.shape.key_heads / attention.shape.heads,
          .table = attention.sequence_table.empty() ? 0 : attention.sequence_table(sequence)};
}

HeadWidths::HeadWidths(const AttentionShape& shape, int64_t length)
    : key(shape.key_width),
      value(shape.value_width),
      key_padded(simd::round_up(key)),
      value_padded(simd::round_up(value)),
      length_padded(simd::round_up(length)) {}

void load_rows(float* to, const ConstMatrix& from, const HeadPlace& place, int64_t first_column, int64_t columns) {
  const int64_t stride = simd::round_up(columns);
  copy_columns(to, stride, 0, from, place, first_column, columns);
  zero_padding(to, stride, columns, place.length);
}

void load_query(float* to, const Attention& attention, const HeadPlace& place, const HeadWidths& widths) {
  load_rows(to, attention.query, place, place.head * widths.key, widths.key);
  turn_rows<false>(to, widths.key_padded, attention.rotation.query, attention, place, 0, place.length);
  scale_rows(to, place.length * widths.key_padded, logit_scale(attention, place.head));
}

void load_key(float* to, const Attention& attention, const HeadPlace& place, const HeadWidths& widths) {
  const int64_t shared = attention.shape.shared_key_width;
  const int64_t own = widths.key - shared;
  copy_columns(to, widths.key_padded, 0, attention.key, place, place.key_head * own, own);
  if (shared > 0) copy_columns(to, widths.key_padded, own, attention.shared_key, place, 0, shared);
  zero_padding(to, widths.key_padded, widths.key, place.length);
  turn_rows<false>(to, widths.key_padded, attention.rotation.key, attention, place, 0, place.length);
}

void load_value(float* to, const Attention& attention, const HeadPlace& place, const HeadWidths& widths) {
  load_rows(to, attention.value, place, place.key_head * widths.value, widths.value);
}

void transpose(float* to, const float* from, int64_t stride, int64_t length) {
  const int64_t padded = simd::round_up(length);
  for (int64_t c = 0; c < stride; c += kLanes) {
    for (int64_t r = 0; r < padded; r += kLanes)
      simd::transpose_square(to + c * padded + r, padded, from + r * stride + c, stride);
  }
}

void turn_back_query(float* gradient, int64_t stride, const Attention& attention, const HeadPlace& place,
                     int64_t first_row, int64_t rows) {
  scale_rows(gradient, rows * stride, logit_scale(attention, place.head));
  turn_rows<true>(gradient, stride, attention.rotation.query, attention, place, first_row, rows);
}

void turn_back_key(float* gradient, int64_t stride, const Attention& attention, const HeadPlace& place) {
  turn_rows<true>(gradient, stride, attention.rotation.key, attention, place, 0, place.length);
}

BiasRows::BiasRows(const Attention& attention, const HeadPlace& place) : attention_(attention), place_(place) {
  if (!attention.bias.table.empty()) {
    table_ = attention.bias.table.row(place.table * attention.shape.heads + place.head);
  }
  const View<const int32_t, 2>& positions = attention.sequences.positions;
  for (int64_t j = 1; j < place.length && consecutive_; ++j) {
    consecutive_ = positions(place.first + j, 0) == positions(place.first + j - 1, 0) + 1;
  }
}

const float* BiasRows::row(int64_t query, float* work) const {
  if (table_ == nullptr) return nullptr;
  const int64_t reach = attention_.bias.reach;
  if (consecutive_) return table_ + reach - query;
  const View<const int32_t, 2>& positions = attention_.sequences.positions;
  const int64_t here = positions(place_.first + query, 0);
  for (int64_t j = 0; j < place_.length; ++j) work[j] = table_[reach + positions(place_.first + j, 0) - here];
  return work;
}

void BiasRows::add_by_distance(float* sums, int64_t query, const float* values, int64_t keys) const {
  const int64_t reach = attention_.bias.reach;
  if (consecutive_) {
    float* to = sums + reach - query;
#pragma omp simd
    for (int64_t j = 0; j < keys; ++j) to[j] += values[j];
    return;
  }
  const View<const int32_t, 2>& positions = attention_.sequences.positions;
  const int64_t here = positions(place_.first + query, 0);
  for (int64_t j = 0; j < keys; ++j) sums[reach + positions(place_.first + j, 0) - here] += values[j];
}

ScoreBlock::ScoreBlock(const Attention& attention, int64_t first_row, int64_t length)
    : begin(first_row),
      rows(std::min(kQueryBlock, length - first_row)),
      rows_padded(pad_rows(rows)),
      keys(attention.causal ? first_row + rows : length),
      keys_padded(simd::round_up(keys)) {}

void compute_scores(float* scores, const ScoreBlock& block, const float* query, const float* key_transposed,
                    const HeadWidths& widths, const Attention& attention, const BiasRows& bias, float* work) {
  const int64_t stride = widths.length_padded;
  small_product<false>({.c = scores,
                        .c_row = stride,
                        .a = query + block.begin * widths.key_padded,
                        .a_row = widths.key_padded,
                        .a_column = 1,
                        .b = key_transposed,
                        .b_row = stride,
                        .m = block.rows_padded,
                        .n = block.keys_padded,
                        .k = widths.key});
  for (int64_t r = 0; r < block.rows; ++r) {
    float* row = scores + r * stride;
    const int64_t visible = attention.causal ? block.begin + r + 1 : block.keys;
    if (const float* values = bias.row(block.begin + r, work); values != nullptr) {
#pragma omp simd
      for (int64_t j = 0; j < visible; ++j) row[j] += values[j];
    }
    std::fill(row + visible, row + block.keys_padded, -std::numeric_limits<float>::infinity());
  }
}

void keep_row(uint64_t* bits, int64_t keys_padded, const HeadPlace& place, int64_t query, const DropoutMask& mask) {
  const int64_t words = (keys_padded + 63) / 64;
  if (!mask.active()) {
    std::fill_n(bits, words, ~uint64_t{0});
    return;
  }
  const uint64_t first = (static_cast<uint64_t>(place.sequence) << 40) + (static_cast<uint64_t>(query) << 20);
  for (int64_t w = 0; w < words; ++w) bits[w] = mask.keep_bits(first + static_cast<uint64_t>(64 * w));
}

}  // namespace phasor
