// Fused attention over ragged batches. Scores exist for kQueryBlock rows of one head at a time, whole rows of what is
// seen, so the softmax is exact and needs no rescaling; the backward pass makes them again. Keys that none of the rows
// sees are not touched.
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/attention_head.h"
#include "phasor/engine/cpu/attention_prefix.h"
#include "phasor/engine/cpu/attention_rotation.h"
#include "phasor/engine/cpu/attention_rows.h"
#include "phasor/engine/cpu/attention_table_sums.h"
#include "phasor/engine/cpu/attention_term.h"
#include "phasor/engine/cpu/cpu_backend.h"
#include "phasor/engine/cpu/elements.h"
#include "phasor/engine/cpu/scratch.h"
#include "phasor/engine/cpu/scratch_carver.h"
#include "phasor/engine/cpu/small_product.h"

namespace phasor {
namespace {

using simd::kLanes;
using simd::Vec;

// What the prefix of a head takes, as floats.
int64_t prefix_floats(const Attention& attention, const HeadWidths& widths) {
  return attention.prefix.empty() ? 0 : 2 * widths.length_padded;
}

int64_t bit_words(const HeadWidths& widths) { return (widths.length_padded + 63) / 64; }

// exp(scores - peak) in place; returns the sum.
float exponentiate(float* row, int64_t count, float peak) {
  Vec sums = {};
  for (int64_t j = 0; j < count; j += kLanes) {
    const Vec e = simd::exp(simd::load(row + j) - peak);
    simd::store(row + j, e);
    sums += e;
  }
  return simd::sum(sums);
}

float peak_of(const float* row, int64_t count) {
  Vec peak = simd::load(row);
  for (int64_t j = kLanes; j < count; j += kLanes) peak = simd::max(peak, simd::load(row + j));
  return simd::largest(peak);
}

// Query rows of one head. Sequences of a few thousand tokens are several items, so that threads share them.
struct ForwardItem {
  HeadPlace place;
  int64_t first_row, last_row;
};

constexpr int64_t kItemRows = 16 * kQueryBlock;

// What the blocks of some rows touch.
KeySpan block_keys(const KeyMask& mask, const KeySpan& rows, int64_t length) {
  return {mask.seen_by(rows.first, length).first / kLanes * kLanes, mask.seen_by(rows.end - 1, length).end};
}

bool has_sink(float logit) { return logit > -std::numeric_limits<float>::infinity(); }

std::vector<ForwardItem> forward_items(const Attention& attention) {
  std::vector<ForwardItem> items;
  for (int64_t s = 0; s < *attention.sequences.count; ++s) {
    for (int64_t h = 0; h < attention.shape.heads; ++h) {
      const HeadPlace place = head_place(attention, s, h);
      for (int64_t row = 0; row < place.length; row += kItemRows) {
        items.push_back({place, row, std::min(place.length, row + kItemRows)});
      }
    }
  }
  return items;
}

void forward_rows(const AttentionForward& op, const ForwardItem& item, const RowRuns& runs) {
  const HeadPlace& place = item.place;
  const Attention& attention = op.attention;
  const HeadWidths widths(attention.shape, place.length);
  const KeyMask visible = key_mask(attention, place.head);
  const int64_t n = place.length;
  const int64_t stride = widths.length_padded;
  const bool has_rows = HeadRowProducts::any(attention);
  int64_t floats = stride * (3 * widths.key_padded + widths.value_padded) +
                   kQueryBlock * (stride + widths.value_padded) + 2 * stride + widths.work() +
                   prefix_floats(attention, widths) + 8 * kLanes;
  if (has_rows) floats += HeadRowProducts::scratch(attention, widths, HeadRowProducts::Pass::forward);
  ScratchCarver carver(float_scratch(ScratchSlot::attention, floats));
  float* query = carver.take(stride * widths.key_padded);
  float* key = carver.take(stride * widths.key_padded);
  float* value = carver.take(stride * widths.value_padded);
  float* key_transposed = carver.take(stride * widths.key_padded);
  float* scores = carver.take(kQueryBlock * stride);
  float* out = carver.take(kQueryBlock * widths.value_padded);
  float* work = carver.take(widths.work());
  auto* bits = reinterpret_cast<uint64_t*>(carver.take(2 * bit_words(widths)));
  auto* sums = reinterpret_cast<double*>(carver.take(prefix_floats(attention, widths)));

  const KeySpan rows{item.first_row, item.last_row};
  const KeySpan keys = block_keys(visible, rows, n);
  load_query(query + rows.first * widths.key_padded, attention, part_of(place, rows), widths, work);
  load_key(key + keys.first * widths.key_padded, attention, part_of(place, keys), widths, work);
  load_value(value + keys.first * widths.value_padded, attention, part_of(place, keys), widths);
  transpose(key_transposed, key, widths.key_padded, n, keys.first, keys.end);
  const BiasRows bias(attention, place);
  const PrefixRow prefix(attention, place, sums);
  const DropoutMask mask(attention.dropout, static_cast<uint32_t>(place.head));
  const float sink = sink_logit(attention, place.head);
  std::optional<HeadRowProducts> row_products;
  if (has_rows) {
    row_products.emplace(attention, runs, place, widths, visible, query, key, carver, HeadRowProducts::Pass::forward);
  }

  for (int64_t begin = item.first_row; begin < item.last_row; begin += kQueryBlock) {
    const ScoreBlock block(visible, begin, n);
    compute_scores(scores, block, query, key_transposed, widths, visible, bias, prefix, work);
    if (row_products) row_products->add_to(scores, block);
    alignas(64) float peaks[kQueryBlock], totals[kQueryBlock];
    std::fill_n(peaks, kQueryBlock, sink);
    std::fill_n(totals, kQueryBlock, 1.0f);
    for (int64_t r = 0; r < block.rows; ++r) {
      float* row = scores + r * stride;
      float* seen = row + block.first_key;
      peaks[r] = std::max(peak_of(seen, block.padded_count()), sink);
      totals[r] = exponentiate(seen, block.padded_count(), peaks[r]);
      if (!mask.active()) continue;
      keep_row(bits, block, place, begin + r, mask);
      for (int64_t j = block.first_key; j < block.keys_padded; j += kLanes) {
        simd::store(row + j, simd::keep(simd::load(row + j), lane_bits(bits, j)));
      }
    }
    if (has_sink(sink)) {
      for (int64_t r = 0; r < kQueryBlock; r += kLanes) {
        simd::store(totals + r, simd::load(totals + r) + simd::exp(sink - simd::load(peaks + r)));
      }
    }
    small_product<false>({.c = out,
                          .c_row = widths.value_padded,
                          .a = scores + block.first_key,
                          .a_row = stride,
                          .a_column = 1,
                          .b = value + block.first_key * widths.value_padded,
                          .b_row = widths.value_padded,
                          .m = block.rows_padded,
                          .n = widths.value_padded,
                          .k = block.key_count()});
    alignas(64) float logs[kQueryBlock];
    for (int64_t r = 0; r < kQueryBlock; r += kLanes) simd::store(logs + r, simd::log(simd::load(totals + r)));
    for (int64_t r = 0; r < block.rows; ++r) {
      op.log_sum(place.first + begin + r, place.head) = peaks[r] + logs[r];
      float* row = out + r * widths.value_padded;
      const float scale = mask.keep_scale() / totals[r];
      for (int64_t c = 0; c < widths.value_padded; c += kLanes) simd::store(row + c, simd::load(row + c) * scale);
      write_row(op.out.at(place.first + begin + r, place.head * widths.value), op.out.dtype(), row, widths.value);
    }
  }
}

// Gradient sums over the heads that read the same channels.
struct HeadSums {
  float* key;           // [length_padded, key_padded]
  float* value;         // [length_padded, value_padded]
  float* shared_query;  // [length, shared_query_width]
};

// to[rows, columns] += the first columns of rows that are `stride` apart.
void add_columns(float* to, int64_t columns, const float* from, int64_t stride, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) to[r * columns + c] += from[r * stride + c];
  }
}

// to[columns] += each of the rows.
void add_rows(float* to, int64_t columns, const float* from, int64_t stride, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) {
#pragma omp simd
    for (int64_t c = 0; c < columns; ++c) to[c] += from[r * stride + c];
  }
}

// Adds one head's gradients: the query's own channels are written, sums are added to.
void backward_head(const AttentionBackward& op, const HeadPlace& place, const HeadSums& sums,
                   const HeadTableSums& tables, const RowRuns& runs, float* scratch) {
  const Attention& attention = op.attention;
  const HeadWidths widths(attention.shape, place.length);
  const KeyMask visible = key_mask(attention, place.head);
  const int64_t n = place.length;
  const int64_t stride = widths.length_padded;
  ScratchCarver carver(scratch);
  float* query = carver.take(stride * widths.key_padded);
  float* key = carver.take(stride * widths.key_padded);
  float* value = carver.take(stride * widths.value_padded);
  float* dout = carver.take(stride * widths.value_padded);
  float* dkey = carver.take(stride * widths.key_padded);
  float* key_transposed = carver.take(stride * widths.key_padded);
  float* value_transposed = carver.take(stride * widths.value_padded);
  float* weights = carver.take(kQueryBlock * stride);
  float* dscores = carver.take(kQueryBlock * stride);
  float* dquery = carver.take(kQueryBlock * widths.key_padded);
  float* work = carver.take(widths.work());
  float* plain_query = tables.scales == nullptr ? nullptr : carver.take(stride * widths.key_padded);
  auto* bits = reinterpret_cast<uint64_t*>(carver.take(2 * bit_words(widths)));
  const int64_t frequencies = tables.frequencies == nullptr ? 0 : op.dfrequency.extent(1) * attention.rotation.axes;
  auto* by_frequency = reinterpret_cast<double*>(carver.take(2 * frequencies));
  auto* prefix_sums = reinterpret_cast<double*>(carver.take(prefix_floats(attention, widths)));
  auto* by_prefix = reinterpret_cast<double*>(carver.take(prefix_floats(attention, widths)));
  const int64_t phases = tables.phases == nullptr ? 0 : op.dphase.extent(1);
  auto* by_phase = reinterpret_cast<double*>(carver.take(2 * phases));

  load_query(query, attention, place, widths, work);
  load_key(key, attention, place, widths, work);
  load_value(value, attention, place, widths);
  load_rows(dout, op.dout, place, place.head * widths.value, widths.value);
  if (plain_query != nullptr) load_query_without_row_scale(plain_query, attention, place, widths, work);
  transpose(key_transposed, key, widths.key_padded, n, 0, n);
  transpose(value_transposed, value, widths.value_padded, n, 0, n);
  std::fill_n(dkey, stride * widths.key_padded, 0.0f);
  std::fill_n(by_frequency, frequencies, 0.0);
  std::fill_n(by_phase, phases, 0.0);
  const int64_t shared = attention.shape.shared_query_width;
  const int64_t own = widths.plain_key - shared;
  const BiasRows bias(attention, place);
  const PrefixRow prefix(attention, place, prefix_sums);
  if (!op.dprefix.empty()) std::fill_n(by_prefix, n, 0.0);
  const bool by_angle = !op.dangle.empty() && token_set(attention.rotation, place.head) >= 0;
  const DropoutMask mask(attention.dropout, static_cast<uint32_t>(place.head));
  const float keep_scale = mask.keep_scale();
  const float sink = sink_logit(attention, place.head);
  double dsink = 0.0;
  std::optional<HeadRowProducts> row_products;
  if (HeadRowProducts::any(attention)) {
    row_products.emplace(attention, runs, place, widths, visible, query, key, carver, HeadRowProducts::Pass::backward);
  }

  for (int64_t begin = 0; begin < n; begin += kQueryBlock) {
    const ScoreBlock block(visible, begin, n);
    compute_scores(weights, block, query, key_transposed, widths, visible, bias, prefix, work);
    if (row_products) row_products->add_to(weights, block);
    alignas(64) float log_sums[kQueryBlock] = {}, sink_weights[kQueryBlock] = {};
    for (int64_t r = 0; r < block.rows; ++r) log_sums[r] = op.log_sum(place.first + begin + r, place.head);
    if (has_sink(sink)) {
      for (int64_t r = 0; r < kQueryBlock; r += kLanes) {
        simd::store(sink_weights + r, simd::exp(sink - simd::load(log_sums + r)));
      }
    }
    small_product<false>({.c = dscores + block.first_key,
                          .c_row = stride,
                          .a = dout + begin * widths.value_padded,
                          .a_row = widths.value_padded,
                          .a_column = 1,
                          .b = value_transposed + block.first_key,
                          .b_row = stride,
                          .m = block.rows_padded,
                          .n = block.padded_count(),
                          .k = widths.value});
    for (int64_t r = 0; r < block.rows; ++r) {
      float* weight = weights + r * stride;
      float* dscore = dscores + r * stride;
      keep_row(bits, block, place, begin + r, mask);
      // weight = softmax; dscore = weight * gradient by it; their mean is what the softmax takes back. The weights
      // and the sink's sum to 1 only up to the rounding of log_sum, which large logits make coarse: divide by what they
      // do sum to.
      Vec taken = {};
      Vec whole = {};
      for (int64_t j = block.first_key; j < block.keys_padded; j += kLanes) {
        const Vec w = simd::exp(simd::load(weight + j) - log_sums[r]);
        const Vec d = w * simd::keep(simd::load(dscore + j) * keep_scale, lane_bits(bits, j));
        simd::store(weight + j, w);
        simd::store(dscore + j, d);
        taken += d;
        whole += w;
      }
      const float back = simd::sum(taken) / (simd::sum(whole) + sink_weights[r]);
      dsink -= double{sink_weights[r]} * double{back};
      for (int64_t j = block.first_key; j < block.keys_padded; j += kLanes) {
        const Vec w = simd::load(weight + j);
        simd::store(dscore + j, simd::load(dscore + j) - w * back);
        simd::store(weight + j, simd::keep(w * keep_scale, lane_bits(bits, j)));
      }
      if (tables.distances != nullptr) {
        bias.add_by_distance(tables.distances, begin + r, dscore, {block.first_key, block.keys});
      }
      if (!op.dprefix.empty()) add_by_prefix(by_prefix, dscore, begin + r, {block.first_key, block.keys});
    }
    small_product<false>({.c = dquery,
                          .c_row = widths.key_padded,
                          .a = dscores + block.first_key,
                          .a_row = stride,
                          .a_column = 1,
                          .b = key + block.first_key * widths.key_padded,
                          .b_row = widths.key_padded,
                          .m = block.rows_padded,
                          .n = widths.key_padded,
                          .k = block.key_count()});
    small_product<true>({.c = dkey + block.first_key * widths.key_padded,
                         .c_row = widths.key_padded,
                         .a = dscores + block.first_key,
                         .a_row = 1,
                         .a_column = stride,
                         .b = query + begin * widths.key_padded,
                         .b_row = widths.key_padded,
                         .m = pad_rows(block.key_count()),
                         .n = widths.key_padded,
                         .k = block.rows});
    small_product<true>({.c = sums.value + block.first_key * widths.value_padded,
                         .c_row = widths.value_padded,
                         .a = weights + block.first_key,
                         .a_row = 1,
                         .a_column = stride,
                         .b = dout + begin * widths.value_padded,
                         .b_row = widths.value_padded,
                         .m = pad_rows(block.key_count()),
                         .n = widths.value_padded,
                         .k = block.rows});
    const TurnedRows turned{Turned::query, widths.key_padded, begin, block.rows};
    // The loaded query holds the logit scale, so its gradient does not yet.
    if (by_angle) add_by_angle(op.dangle, true, dquery, query + begin * widths.key_padded, turned, attention, place);
    if (frequencies > 0) {
      add_by_frequency(by_frequency, dquery, query + begin * widths.key_padded, turned, attention, place);
    }
    // What keys say of the row's factor; distance rows add what they say (take, below).
    for (int64_t r = 0; plain_query != nullptr && r < block.rows; ++r) {
      tables.scales[begin + r] = simd::inner_product(dquery + r * widths.key_padded,
                                                     plain_query + (begin + r) * widths.key_padded, widths.key_padded);
    }
    scale_by_logit_scale(dquery, widths.key_padded, begin, block.rows, attention, place);
    turn_back(dquery, turned, attention, place, work);
    if (tables.query_shift != nullptr) {
      add_rows(tables.query_shift, widths.key_padded, dquery, widths.key_padded, block.rows);
    }
    if (row_products) {
      row_products->take(dscores, block, tables);
      row_products->add_query_gradient(dquery, block, tables);
    }
    unmap_query(dquery, attention, place, widths, begin, block.rows, work);
    for (int64_t r = 0; own > 0 && r < block.rows; ++r) {
      write_row(op.dquery.at(place.first + begin + r, place.head * own), op.dquery.dtype(),
                dquery + r * widths.key_padded, own);
    }
    if (shared > 0)
      add_columns(sums.shared_query + begin * shared, shared, dquery + own, widths.key_padded, block.rows);
  }
  const TurnedRows turned{Turned::key, widths.key_padded, 0, n};
  if (frequencies > 0) add_by_frequency(by_frequency, dkey, key, turned, attention, place);
  if (by_angle) add_by_angle(op.dangle, false, dkey, key, turned, attention, place);
  std::copy_n(by_frequency, frequencies, tables.frequencies);
  if (tables.sink != nullptr) *tables.sink = static_cast<float>(dsink);
  if (phases > 0) add_by_phase(by_phase, dkey, key, turned, attention, place);
  std::copy_n(by_phase, phases, tables.phases);
  turn_back(dkey, turned, attention, place, work);
  if (row_products) row_products->add_key_gradient(dkey, tables);
  for (int64_t i = 0; i < n * widths.key_padded; ++i) sums.key[i] += dkey[i];
  for (int64_t i = 0; !op.dprefix.empty() && i < n; ++i) op.dprefix(place.first + i, place.head) = by_prefix[i];
}

int64_t backward_scratch(const HeadWidths& w, const Attention& attention, bool row_scale) {
  const int64_t pair_sums = (attention.rotation.axes + 1) * w.key_padded;  // by frequency and by phase, in double
  const int64_t rows =
      HeadRowProducts::any(attention) ? HeadRowProducts::scratch(attention, w, HeadRowProducts::Pass::backward) : 0;
  return rows + w.length_padded * ((row_scale ? 5 : 4) * w.key_padded + 3 * w.value_padded) +
         kQueryBlock * (2 * w.length_padded + w.key_padded) + 2 * w.length_padded + w.work() + pair_sums + 8 * kLanes;
}

void write_rows(const Matrix& to, const HeadPlace& place, const float* from, int64_t columns) {
  for (int64_t r = 0; r < (columns == 0 ? 0 : place.length); ++r) {
    write_row(to.at(place.first + r, 0), to.dtype(), from + r * columns, columns);
  }
}

// One sequence, the key heads [first_group, last_group) in order.
void backward_groups(const AttentionBackward& op, int64_t sequence, int64_t first_group, int64_t last_group,
                     const AttentionTableSums& tables, const RowRuns& runs) {
  const Attention& attention = op.attention;
  const AttentionShape& shape = attention.shape;
  const HeadPlace whole = head_place(attention, sequence, 0);
  const int64_t n = whole.length;
  const HeadWidths widths(shape, n);
  const int64_t shared = shape.shared_key_width;
  const int64_t own = widths.plain_key - shared;
  const int64_t group_heads = shape.heads / shape.key_heads;
  const int64_t padded = widths.length_padded;
  ScratchCarver carver(float_scratch(
      ScratchSlot::attention,
      padded * (widths.key_padded + widths.value_padded) + n * (shared + shape.shared_query_width) +
          backward_scratch(widths, attention, !op.dscale.empty()) + 2 * prefix_floats(attention, widths) + 4 * kLanes));
  const HeadSums sums{carver.take(padded * widths.key_padded), carver.take(padded * widths.value_padded),
                      carver.take(n * shape.shared_query_width)};
  float* shared_sums = carver.take(n * shared);
  float* scratch = carver.take(0);
  std::fill_n(sums.shared_query, n * shape.shared_query_width, 0.0f);
  std::fill_n(shared_sums, n * shared, 0.0f);

  for (int64_t group = first_group; group < last_group; ++group) {
    std::fill_n(sums.key, padded * widths.key_padded, 0.0f);
    std::fill_n(sums.value, padded * widths.value_padded, 0.0f);
    for (int64_t head = group * group_heads; head < (group + 1) * group_heads; ++head) {
      const HeadPlace place = head_place(attention, sequence, head);
      backward_head(op, place, sums, tables.of(place), runs, scratch);
    }
    unmap_key(sums.key, attention, head_place(attention, sequence, group * group_heads), widths, 0, n, scratch);
    for (int64_t r = 0; r < n; ++r) {
      const float* dkey = sums.key + r * widths.key_padded;
      if (own > 0) write_row(op.dkey.at(whole.first + r, group * own), op.dkey.dtype(), dkey, own);
      write_row(op.dvalue.at(whole.first + r, group * widths.value), op.dvalue.dtype(),
                sums.value + r * widths.value_padded, widths.value);
    }
    add_columns(shared_sums, shared, sums.key + own, widths.key_padded, n);
  }
  write_rows(op.dshared_query, whole, sums.shared_query, shape.shared_query_width);
  write_rows(op.dshared_key, whole, shared_sums, shared);
}

}  // namespace

void CpuBackend::run(const AttentionForward& op) {
  if (op.attention.dense.any()) return attend_with_term(op);
  const std::vector<ForwardItem> items = forward_items(op.attention);
  const RowRuns runs(op.attention);
  // Short sequences are handed out a few at a time, long ones one by one.
  const int64_t grain = *op.attention.sequences.tokens > kItemRows * *op.attention.sequences.count / 4 ? 1 : 4;
  parallel_for(static_cast<int64_t>(items.size()), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) forward_rows(op, items[static_cast<size_t>(i)], runs);
  });
}

void CpuBackend::run(const AttentionBackward& op) {
  if (op.attention.dense.any()) return attend_back_with_term(op, partial_sums_);
  const Attention& attention = op.attention;
  const AttentionShape& shape = attention.shape;
  const int64_t sequences = *attention.sequences.count;
  // Heads that share channels add to one gradient: one item takes them all.
  const int64_t items_per_sequence = shape.shared_key_width + shape.shared_query_width > 0 ? 1 : shape.key_heads;
  const int64_t item_heads = shape.heads / items_per_sequence;
  const int64_t item_groups = shape.key_heads / items_per_sequence;
  const AttentionTableSums tables(op, items_per_sequence, partial_sums_);
  const int64_t chunk = tables.chunk();
  const RowRuns runs(attention);

  parallel_for(chunk_count(sequences, chunk) * items_per_sequence, 1, [&](int64_t index, int64_t) {
    const int64_t chunk_index = index / items_per_sequence;
    const int64_t item = index % items_per_sequence;
    tables.clear(chunk_index, item * item_heads, item_heads);
    const int64_t last = std::min(sequences, (chunk_index + 1) * chunk);
    for (int64_t s = chunk_index * chunk; s < last; ++s) {
      if (attention.sequences.offsets(s + 1) == attention.sequences.offsets(s)) continue;
      backward_groups(op, s, item * item_groups, (item + 1) * item_groups, tables, runs);
    }
  });
  tables.finish();
}

}  // namespace phasor
