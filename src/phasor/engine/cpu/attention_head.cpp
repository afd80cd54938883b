#include "phasor/engine/cpu/attention_head.h"

#include <algorithm>
#include <limits>

#include "phasor/engine/cpu/attention_features.h"
#include "phasor/engine/cpu/attention_prefix.h"
#include "phasor/engine/cpu/attention_rotation.h"
#include "phasor/engine/cpu/elements.h"
#include "phasor/engine/cpu/small_product.h"

namespace phasor {
namespace {

using simd::kLanes;

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

// The head's own columns, then those that all heads share; zeros as padding.
void load_channels(float* to, const ConstMatrix& own, const ConstMatrix& shared, int64_t shared_width, int64_t head,
                   const HeadPlace& place, const HeadWidths& widths) {
  const int64_t own_width = widths.key - shared_width;
  if (own_width > 0) copy_columns(to, widths.key_padded, 0, own, place, head * own_width, own_width);
  if (shared_width > 0) copy_columns(to, widths.key_padded, own_width, shared, place, 0, shared_width);
  zero_padding(to, widths.key_padded, widths.key, place.length);
}

// Own channels as features; zeros as padding. `plain` holds one row.
void load_features(float* to, const ConstMatrix& own, int64_t head, const HeadPlace& place, const HeadWidths& widths,
                   float* plain) {
  for (int64_t r = 0; r < place.length; ++r) {
    read_row(plain, own.at(place.first + r, head * widths.plain_key), own.dtype(), widths.plain_key);
    to_features(to + r * widths.key_padded, plain, widths.plain_key);
  }
  zero_padding(to, widths.key_padded, widths.key, place.length);
}

void add_shift(float* to, const View<const float, 2>& shift, const HeadPlace& place, const HeadWidths& widths) {
  if (shift.empty()) return;
  const float* u = shift.row(place.head);
  for (int64_t r = 0; r < place.length; ++r) {
    float* row = to + r * widths.key_padded;
#pragma omp simd
    for (int64_t c = 0; c < widths.key; ++c) row[c] += u[c];
  }
}

void load_turned_query(float* to, const Attention& attention, const HeadPlace& place, const HeadWidths& widths,
                       float* work) {
  if (attention.shape.feature == FeatureMap::softplus) {
    load_features(to, attention.query, place.head, place, widths, work);
  } else {
    load_channels(to, attention.query, attention.shared_query, attention.shape.shared_query_width, place.head, place,
                  widths);
  }
  add_shift(to, attention.query_shift, place, widths);
  turn(to, {Turned::query, widths.key_padded, 0, place.length}, attention, place, work);
}

void unmap(float* gradient, const Attention& attention, const ConstMatrix& own, int64_t head, const HeadPlace& place,
           const HeadWidths& widths, int64_t first_row, int64_t rows, float* plain) {
  if (attention.shape.feature == FeatureMap::none) return;
  for (int64_t r = 0; r < rows; ++r) {
    read_row(plain, own.at(place.first + first_row + r, head * widths.plain_key), own.dtype(), widths.plain_key);
    from_features(gradient + r * widths.key_padded, plain, widths.plain_key);
  }
}

int64_t sequence_table(const View<const int32_t, 1>& tables, int64_t sequence) {
  return tables.empty() ? 0 : tables(sequence);
}

}  // namespace

float logit_scale(const Attention& attention, int64_t head) {
  return attention.head_scale.empty() ? attention.scale : attention.scale * attention.head_scale(head);
}

HeadPlace head_place(const Attention& attention, int64_t sequence, int64_t head) {
  const int64_t first = attention.sequences.offsets(sequence);
  return {.sequence = sequence,
          .first = first,
          .length = attention.sequences.offsets(sequence + 1) - first,
          .head = head,
          .key_head = head * attention.shape.key_heads / attention.shape.heads,
          .rotation_table = sequence_table(attention.rotation.sequence_table, sequence),
          .bias_table = sequence_table(attention.bias.sequence_table, sequence),
          .scale_table = sequence_table(attention.row_scale.sequence_table, sequence)};
}

HeadPlace part_of(const HeadPlace& place, const KeySpan& tokens) {
  HeadPlace part = place;
  part.first += tokens.first;
  part.length = tokens.end - tokens.first;
  return part;
}

KeyMask key_mask(const Attention& attention, int64_t head) {
  return {.causal = attention.causal,
          .window = attention.window.empty() ? 0 : attention.window(head),
          .chunk = attention.chunk.empty() ? 0 : attention.chunk(head)};
}

float sink_logit(const Attention& attention, int64_t head) {
  return attention.sink.empty() ? -std::numeric_limits<float>::infinity() : attention.sink(head);
}

HeadWidths::HeadWidths(const AttentionShape& shape, int64_t tokens)
    : length(tokens),
      key(shape.turned_width()),
      value(shape.value_width),
      plain_key(shape.key_width),
      key_padded(simd::round_up(key)),
      value_padded(simd::round_up(value)),
      length_padded(simd::round_up(tokens)) {}

void load_rows(float* to, const ConstMatrix& from, const HeadPlace& place, int64_t first_column, int64_t columns) {
  const int64_t stride = simd::round_up(columns);
  copy_columns(to, stride, 0, from, place, first_column, columns);
  zero_padding(to, stride, columns, place.length);
}

void load_query(float* to, const Attention& attention, const HeadPlace& place, const HeadWidths& widths, float* work) {
  load_turned_query(to, attention, place, widths, work);
  scale_by_logit_scale(to, widths.key_padded, 0, place.length, attention, place);
}

void load_query_without_row_scale(float* to, const Attention& attention, const HeadPlace& place,
                                  const HeadWidths& widths, float* work) {
  load_turned_query(to, attention, place, widths, work);
  scale_rows(to, place.length * widths.key_padded, logit_scale(attention, place.head));
}

void load_key(float* to, const Attention& attention, const HeadPlace& place, const HeadWidths& widths, float* work) {
  if (attention.shape.feature == FeatureMap::softplus) {
    load_features(to, attention.key, place.key_head, place, widths, work);
  } else {
    load_channels(to, attention.key, attention.shared_key, attention.shape.shared_key_width, place.key_head, place,
                  widths);
  }
  turn(to, {Turned::key, widths.key_padded, 0, place.length}, attention, place, work);
}

void load_row_query(float* to, const Attention& attention, const HeadPlace& place, const HeadWidths& widths) {
  load_channels(to, attention.query, attention.shared_query, attention.shape.shared_query_width, place.head, place,
                widths);
  add_shift(to, attention.row_shift, place, widths);
  scale_rows(to, place.length * widths.key_padded, logit_scale(attention, place.head));
}

void load_row_key(float* to, const Attention& attention, const HeadPlace& place, const HeadWidths& widths) {
  load_channels(to, attention.key, attention.shared_key, attention.shape.shared_key_width, place.key_head, place,
                widths);
}

void unmap_query(float* gradient, const Attention& attention, const HeadPlace& place, const HeadWidths& widths,
                 int64_t first_row, int64_t rows, float* plain) {
  unmap(gradient, attention, attention.query, place.head, place, widths, first_row, rows, plain);
}

void unmap_key(float* gradient, const Attention& attention, const HeadPlace& place, const HeadWidths& widths,
               int64_t first_row, int64_t rows, float* plain) {
  unmap(gradient, attention, attention.key, place.key_head, place, widths, first_row, rows, plain);
}

void load_value(float* to, const Attention& attention, const HeadPlace& place, const HeadWidths& widths) {
  load_rows(to, attention.value, place, place.key_head * widths.value, widths.value);
}

void transpose(float* to, const float* from, int64_t stride, int64_t length, int64_t first, int64_t end) {
  const int64_t padded = simd::round_up(length);
  const int64_t end_padded = simd::round_up(end);
  for (int64_t c = 0; c < stride; c += kLanes) {
    for (int64_t r = first; r < end_padded; r += kLanes)
      simd::transpose_square(to + c * padded + r, padded, from + r * stride + c, stride);
  }
}

void scale_by_logit_scale(float* rows, int64_t stride, int64_t first_row, int64_t count, const Attention& attention,
                          const HeadPlace& place) {
  const float scale = logit_scale(attention, place.head);
  const RowScales factors(attention, place);
  if (!factors.any()) return scale_rows(rows, count * stride, scale);
  for (int64_t r = 0; r < count; ++r) scale_rows(rows + r * stride, stride, scale * factors(first_row + r));
}

RowScales::RowScales(const Attention& attention, const HeadPlace& place)
    : positions_(attention.sequences.positions.row(place.first) + attention.row_scale.axis),
      position_stride_(attention.sequences.positions.stride(0)) {
  const View<const float, 2>& table = attention.row_scale.table;
  if (table.empty()) return;
  table_ = table.row(place.scale_table * attention.shape.heads + place.head);
  columns_ = table.extent(1);
}

BiasRows::BiasRows(const Attention& attention, const HeadPlace& place)
    : bias_(attention.bias),
      length_(place.length),
      positions_(attention.sequences.positions.row(place.first) + bias_.axis),
      position_stride_(attention.sequences.positions.stride(0)) {
  if (!bias_.table.empty()) {
    table_ = bias_.table.row((place.bias_table * attention.shape.heads + place.head) * bias_.rows);
  }
  for (int64_t j = 1; j < length_ && consecutive_; ++j) consecutive_ = position(j) == position(j - 1) + 1;
}

int64_t BiasRows::row_start(int64_t query, int64_t row_stride) const {
  return bias_.rows > 1 ? position(query) * row_stride : 0;
}

const float* BiasRows::row(int64_t query, const KeySpan& keys, float* work) const {
  if (table_ == nullptr) return nullptr;
  const float* centre = table_ + row_start(query, bias_.table.stride(0)) + bias_.reach;
  if (consecutive_) return centre - query;
  const int64_t here = position(query);
  for (int64_t j = keys.first; j < keys.end; ++j) work[j] = centre[position(j) - here];
  return work;
}

void BiasRows::add_by_distance(float* sums, int64_t query, const float* values, const KeySpan& keys) const {
  float* centre = sums + row_start(query, 2 * int64_t{bias_.reach} + 1) + bias_.reach;
  if (consecutive_) {
    float* to = centre - query;
#pragma omp simd
    for (int64_t j = keys.first; j < keys.end; ++j) to[j] += values[j];
    return;
  }
  const int64_t here = position(query);
  for (int64_t j = keys.first; j < keys.end; ++j) centre[position(j) - here] += values[j];
}

ScoreBlock::ScoreBlock(const KeyMask& mask, int64_t first_row, int64_t length)
    : begin(first_row),
      rows(std::min(kQueryBlock, length - first_row)),
      rows_padded(pad_rows(rows)),
      first_key(mask.seen_by(first_row, length).first / kLanes * kLanes),
      keys(mask.seen_by(first_row + rows - 1, length).end),
      keys_padded(simd::round_up(keys)) {}

void compute_scores(float* scores, const ScoreBlock& block, const float* query, const float* key_transposed,
                    const HeadWidths& widths, const KeyMask& mask, const BiasRows& bias, const PrefixRow& prefix,
                    float* work) {
  const int64_t stride = widths.length_padded;
  small_product<false>({.c = scores + block.first_key,
                        .c_row = stride,
                        .a = query + block.begin * widths.key_padded,
                        .a_row = widths.key_padded,
                        .a_column = 1,
                        .b = key_transposed + block.first_key,
                        .b_row = stride,
                        .m = block.rows_padded,
                        .n = block.padded_count(),
                        .k = widths.key});
  for (int64_t r = 0; r < block.rows; ++r) {
    float* row = scores + r * stride;
    const KeySpan seen = mask.seen_by(block.begin + r, widths.length);
    if (const float* values = bias.row(block.begin + r, seen, work); values != nullptr) {
#pragma omp simd
      for (int64_t j = seen.first; j < seen.end; ++j) row[j] += values[j];
    }
    prefix.subtract(row, block.begin + r, seen);
    std::fill(row + block.first_key, row + seen.first, -std::numeric_limits<float>::infinity());
    std::fill(row + seen.end, row + block.keys_padded, -std::numeric_limits<float>::infinity());
  }
}

void keep_row(uint64_t* bits, const ScoreBlock& block, const HeadPlace& place, int64_t query, const DropoutMask& mask) {
  constexpr int64_t kRun = DropoutMask::kRun;
  const int64_t first_word = block.first_key / kRun * (kRun / 64);
  const int64_t words = (block.keys_padded + 63) / 64;
  if (!mask.active()) {
    std::fill(bits + first_word, bits + words, ~uint64_t{0});
    return;
  }
  const uint64_t first = (static_cast<uint64_t>(place.sequence) << 40) + (static_cast<uint64_t>(query) << 20);
  for (int64_t w = first_word; w < words; w += 2) {
    const std::array<uint64_t, 2> run = mask.keep_bits(first + static_cast<uint64_t>(64 * w));
    bits[w] = run[0];
    if (w + 1 < words) bits[w + 1] = run[1];
  }
}

}  // namespace phasor
