#include "phasor/engine/cpu/attention_rows.h"

#include <limits>

#include "phasor/engine/cpu/simd.h"
#include "phasor/engine/cpu/small_product.h"

namespace phasor {
namespace {

using simd::kLanes;
using simd::Vec;

// With more runs than these a table is read entry by entry.
constexpr size_t kFewRuns = 4;

std::vector<RowRun> runs_of(const DistanceRows& rows) {
  std::vector<RowRun> runs;
  if (rows.table.empty()) return runs;
  const int32_t* index = rows.index.data();
  const int64_t columns = rows.index.size();
  for (int64_t c = 0; c < columns;) {
    RowRun run{.first = c, .count = 1, .row = index[c], .step = 0};
    if (c + 1 < columns && std::abs(index[c + 1] - index[c]) <= 1) run.step = index[c + 1] - index[c];
    while (c + run.count < columns && index[c + run.count] == run.row + run.count * run.step) ++run.count;
    c += run.count;
    runs.push_back(run);
  }
  return runs;
}

float sum_of(const float* values, int64_t count) {
  Vec sums = {};
  int64_t j = 0;
  for (; j + kLanes <= count; j += kLanes) sums += simd::load(values + j);
  float sum = simd::sum(sums);
  for (; j < count; ++j) sum += values[j];
  return sum;
}

void add(float* to, const float* from, int64_t count) {
#pragma omp simd
  for (int64_t j = 0; j < count; ++j) to[j] += from[j];
}

void add_backwards(float* to, const float* from, int64_t count) {
#pragma omp simd
  for (int64_t j = 0; j < count; ++j) to[j] += from[-j];
}

void add_value(float* to, float value, int64_t count) {
#pragma omp simd
  for (int64_t j = 0; j < count; ++j) to[j] += value;
}

void multiply(float* values, float factor, int64_t count) {
#pragma omp simd
  for (int64_t c = 0; c < count; ++c) values[c] *= factor;
}

bool turns(const Attention& attention) {
  return !attention.rotation.query.empty() || !attention.rotation.token.empty();
}

// Whether the queries that rows meet are not those that keys meet.
bool has_own_queries(const Attention& attention) {
  return turns(attention) || !attention.query_shift.empty() || !attention.row_shift.empty() ||
         !attention.row_scale.table.empty();
}

}  // namespace

RowRuns::RowRuns(const Attention& attention) : query(runs_of(attention.query_rows)), key(runs_of(attention.key_rows)) {}

// --- One table -----------------------------------------------------------------------------------

HeadRows::HeadRows(const DistanceRows& rows, const std::vector<RowRun>& runs, const Attention& attention,
                   const HeadPlace& place)
    : rows_(rows),
      runs_(runs),
      head_(rows.table.extent(1) > attention.shape.key_width ? place.head : 0),
      length_(place.length),
      causal_(attention.causal),
      positions_(attention.sequences.positions.row(place.first) + rows.axis),
      position_stride_(attention.sequences.positions.stride(0)) {
  if (!any() || length_ == 0) return;
  int64_t least = position(0), largest = position(0);
  for (int64_t j = 1; j < length_; ++j) {
    const int64_t p = position(j);
    consecutive_ = consecutive_ && p == position(j - 1) + 1;
    least = std::min(least, p);
    largest = std::max(largest, p);
  }
  span_ = span_of(least - largest, consecutive_ && causal_ ? 0 : largest - least);
}

RowSpan HeadRows::span_of(int64_t least_distance, int64_t largest_distance) const {
  const int32_t* index = rows_.index.data() + rows_.reach;
  int32_t first = std::numeric_limits<int32_t>::max(), last = 0;
#pragma omp simd reduction(min : first) reduction(max : last)
  for (int64_t d = least_distance; d <= largest_distance; ++d) {
    first = std::min(first, index[d]);
    last = std::max(last, index[d]);
  }
  const int64_t begin = first / kLanes * kLanes;
  return {begin, simd::round_up(last + 1) - begin};
}

RowSpan HeadRows::span(const ScoreBlock& block) const {
  if (!consecutive_) return span_;
  return span_of(block.first_key - (block.begin + block.rows - 1), causal_ ? 0 : block.keys - 1 - block.begin);
}

void HeadRows::load(float* to, const HeadWidths& widths) const {
  const int64_t stored = std::min(span_.count, rows_.table.extent(0) - span_.first);
  for (int64_t r = 0; r < span_.count; ++r) {
    float* row = to + r * widths.key_padded;
    if (r < stored) {
      std::copy_n(rows_.table.row(span_.first + r) + head_ * widths.key, widths.key, row);
      std::fill(row + widths.key, row + widths.key_padded, 0.0f);
    } else {
      std::fill_n(row, widths.key_padded, 0.0f);
    }
  }
}

const int32_t* HeadRows::rows_of(int64_t query, const KeySpan& keys, int32_t* work) const {
  const int32_t* index = rows_.index.data() + rows_.reach;
  if (consecutive_) return index - query;
  const int64_t here = position(query);
  for (int64_t j = keys.first; j < keys.end; ++j) work[j] = index[position(j) - here];
  return work;
}

void HeadRows::gather(float* to, const float* z, int64_t query, const KeySpan& keys, int32_t* work) const {
  if (!consecutive_ || runs_.size() > kFewRuns) {
    const int32_t* row = rows_of(query, keys, work);
#pragma omp simd
    for (int64_t j = keys.first; j < keys.end; ++j) to[j] += z[row[j]];
    return;
  }
  const int64_t shift = query - rows_.reach;  // from columns to keys
  for (const RowRun& run : runs_) {
    const int64_t begin = std::max(keys.first, run.first + shift);
    const int64_t count = std::min(keys.end, run.first + run.count + shift) - begin;
    if (count <= 0) continue;
    const float* from = z + run.row + run.step * (begin - run.first - shift);
    if (run.step == 0) {
      add_value(to + begin, *from, count);
    } else if (run.step > 0) {
      add(to + begin, from, count);
    } else {
      add_backwards(to + begin, from, count);
    }
  }
}

void HeadRows::scatter(float* dz, const float* values, int64_t query, const KeySpan& keys, int32_t* work) const {
  if (!consecutive_) {
    const int32_t* row = rows_of(query, keys, work);
    for (int64_t j = keys.first; j < keys.end; ++j) dz[row[j]] += values[j];
    return;
  }
  const int64_t shift = query - rows_.reach;
  for (const RowRun& run : runs_) {
    const int64_t begin = std::max(keys.first, run.first + shift);
    const int64_t count = std::min(keys.end, run.first + run.count + shift) - begin;
    if (count <= 0) continue;
    float* to = dz + run.row + run.step * (begin - run.first - shift);
    if (run.step == 0) {
      *to += sum_of(values + begin, count);
    } else if (run.step > 0) {
      add(to, values + begin, count);
    } else {
      add_backwards(to - (count - 1), values + begin + count - 1, count);
    }
  }
}

void HeadRows::gather_own(float* to, const float* z, int64_t stride, float factor, int64_t query, const KeySpan& keys,
                          int32_t* work) const {
  const int32_t* row = rows_of(query, keys, work);
#pragma omp simd
  for (int64_t j = keys.first; j < keys.end; ++j) to[j] += factor * z[j * stride + row[j]];
}

void HeadRows::scatter_own(float* dz, int64_t stride, const float* values, float factor, int64_t query,
                           const KeySpan& keys, int32_t* work) const {
  const int32_t* row = rows_of(query, keys, work);
  for (int64_t j = keys.first; j < keys.end; ++j) dz[j * stride + row[j]] += factor * values[j];
}

float HeadRows::product_own(const float* z, int64_t stride, const float* values, int64_t query, const KeySpan& keys,
                            int32_t* work) const {
  const int32_t* row = rows_of(query, keys, work);
  double sum = 0.0;
  for (int64_t j = keys.first; j < keys.end; ++j) sum += double{z[j * stride + row[j]]} * double{values[j]};
  return static_cast<float>(sum);
}

// --- Both ----------------------------------------------------------------------------------------

int64_t HeadRowProducts::scratch(const Attention& attention, const HeadWidths& widths, Pass pass) {
  const bool backward = pass == Pass::backward;
  int64_t floats = widths.length_padded + 16 * kLanes;
  if (!attention.query_rows.table.empty()) {
    const int64_t rows = simd::round_up(attention.query_rows.table.extent(0));
    floats += rows * 2 * widths.key_padded + widths.length_padded * widths.key_padded;
    floats += kQueryBlock * (rows + (backward ? rows + widths.key_padded : 0));
  }
  if (!attention.key_rows.table.empty()) {
    const int64_t rows = simd::round_up(attention.key_rows.table.extent(0));
    floats += rows * 2 * widths.key_padded + widths.length_padded * widths.key_padded;
    floats += widths.length_padded * rows * (backward ? 2 : 1);
  }
  return floats;
}

HeadRowProducts::HeadRowProducts(const Attention& attention, const RowRuns& runs, const HeadPlace& place,
                                 const HeadWidths& widths, const KeyMask& mask, const float* query, const float* key,
                                 ScratchCarver& carver, Pass pass)
    : attention_(attention),
      place_(place),
      widths_(widths),
      mask_(mask),
      query_rows_(attention.query_rows, runs.query, attention, place),
      key_rows_(attention.key_rows, runs.key, attention, place),
      factor_(logit_scale(attention, place.head)),
      row_scales_(attention, place),
      query_(query),
      key_(key) {
  const bool backward = pass == Pass::backward;
  const int64_t channels = widths.length_padded * widths.key_padded;
  work_ = reinterpret_cast<int32_t*>(carver.take(widths.length_padded));
  if (query_rows_.any()) {
    const int64_t count = query_rows_.span().count;
    query_table_ = carver.take(count * widths.key_padded);
    query_transposed_ = carver.take(count * widths.key_padded);
    products_ = carver.take(kQueryBlock * count);
    if (backward) dproducts_ = carver.take(kQueryBlock * count);
    if (backward) dquery_ = carver.take(kQueryBlock * widths.key_padded);
    query_rows_.load(query_table_, widths);
    transpose(query_transposed_, query_table_, widths.key_padded, count, 0, count);
    if (has_own_queries(attention)) {
      float* own = carver.take(channels);
      load_row_query(own, attention, place, widths);
      query_ = own;
    }
  }
  if (!key_rows_.any()) return;
  const int64_t count = key_rows_.span().count;
  key_table_ = carver.take(count * widths.key_padded);
  float* transposed = carver.take(count * widths.key_padded);
  key_products_ = carver.take(widths.length_padded * count);
  if (backward) dkey_products_ = carver.take(widths.length_padded * count);
  key_rows_.load(key_table_, widths);
  transpose(transposed, key_table_, widths.key_padded, count, 0, count);
  if (turns(attention)) {
    float* own = carver.take(channels);
    load_row_key(own, attention, place, widths);
    key_ = own;
  }
  // Keys that no query of the item sees may not be loaded: nobody reads their products.
  small_product<false>({.c = key_products_,
                        .c_row = count,
                        .a = key_,
                        .a_row = widths.key_padded,
                        .a_column = 1,
                        .b = transposed,
                        .b_row = count,
                        .m = pad_rows(place.length),
                        .n = count,
                        .k = widths.key});
  if (backward) std::fill_n(dkey_products_, place.length * count, 0.0f);
}

void HeadRowProducts::add_to(float* scores, const ScoreBlock& block) {
  const int64_t stride = widths_.length_padded;
  if (query_rows_.any()) {
    const RowSpan all = query_rows_.span(), span = query_rows_.span(block);
    small_product<false>({.c = products_,
                          .c_row = span.count,
                          .a = query_ + block.begin * widths_.key_padded,
                          .a_row = widths_.key_padded,
                          .a_column = 1,
                          .b = query_transposed_ + (span.first - all.first),
                          .b_row = all.count,
                          .m = block.rows_padded,
                          .n = span.count,
                          .k = widths_.key});
    for (int64_t r = 0; r < block.rows; ++r) {
      if (row_scales_.any()) multiply(products_ + r * span.count, row_scales_(block.begin + r), span.count);
      query_rows_.gather(scores + r * stride, products_ + r * span.count - span.first, block.begin + r,
                         visible(block, r), work_);
    }
  }
  if (!key_rows_.any()) return;
  const RowSpan span = key_rows_.span();
  for (int64_t r = 0; r < block.rows; ++r) {
    key_rows_.gather_own(scores + r * stride, key_products_ - span.first, span.count, factor(block.begin + r),
                         block.begin + r, visible(block, r), work_);
  }
}

void HeadRowProducts::take(const float* dscores, const ScoreBlock& block, const HeadTableSums& sums) {
  const int64_t stride = widths_.length_padded;
  if (query_rows_.any()) {
    const RowSpan all = query_rows_.span(), span = query_rows_.span(block);
    std::fill_n(dproducts_, block.rows_padded * span.count, 0.0f);
    for (int64_t r = 0; r < block.rows; ++r) {
      query_rows_.scatter(dproducts_ + r * span.count - span.first, dscores + r * stride, block.begin + r,
                          visible(block, r), work_);
    }
    small_product<false>({.c = dquery_,
                          .c_row = widths_.key_padded,
                          .a = dproducts_,
                          .a_row = span.count,
                          .a_column = 1,
                          .b = query_table_ + (span.first - all.first) * widths_.key_padded,
                          .b_row = widths_.key_padded,
                          .m = block.rows_padded,
                          .n = widths_.key_padded,
                          .k = span.count});
    for (int64_t r = 0; row_scales_.any() && r < block.rows; ++r) {
      float* dquery = dquery_ + r * widths_.key_padded;
      if (sums.scales != nullptr) {
        sums.scales[block.begin + r] +=
            simd::inner_product(dquery, query_ + (block.begin + r) * widths_.key_padded, widths_.key_padded);
      }
      multiply(dquery, row_scales_(block.begin + r), widths_.key_padded);
      multiply(dproducts_ + r * span.count, row_scales_(block.begin + r), span.count);
    }
    if (sums.query_rows != nullptr) {
      small_product<true>({.c = sums.query_rows + span.first * widths_.key_padded,
                           .c_row = widths_.key_padded,
                           .a = dproducts_,
                           .a_row = 1,
                           .a_column = span.count,
                           .b = query_ + block.begin * widths_.key_padded,
                           .b_row = widths_.key_padded,
                           .m = span.count,
                           .n = widths_.key_padded,
                           .k = block.rows});
    }
  }
  if (!key_rows_.any()) return;
  const RowSpan span = key_rows_.span();
  for (int64_t r = 0; r < block.rows; ++r) {
    key_rows_.scatter_own(dkey_products_ - span.first, span.count, dscores + r * stride, factor(block.begin + r),
                          block.begin + r, visible(block, r), work_);
    if (sums.scales == nullptr) continue;
    sums.scales[block.begin + r] +=
        factor_ * key_rows_.product_own(key_products_ - span.first, span.count, dscores + r * stride, block.begin + r,
                                        visible(block, r), work_);
  }
}

void HeadRowProducts::add_query_gradient(float* dquery, const ScoreBlock& block, const HeadTableSums& sums) const {
  if (!query_rows_.any()) return;
  for (int64_t r = 0; r < block.rows; ++r) {
    const float* from = dquery_ + r * widths_.key_padded;
    float* to = dquery + r * widths_.key_padded;
#pragma omp simd
    for (int64_t c = 0; c < widths_.key_padded; ++c) to[c] += factor_ * from[c];
    if (sums.row_shift == nullptr) continue;
#pragma omp simd
    for (int64_t c = 0; c < widths_.key_padded; ++c) sums.row_shift[c] += factor_ * from[c];
  }
}

void HeadRowProducts::add_key_gradient(float* dkey, const HeadTableSums& sums) {
  if (!key_rows_.any()) return;
  const RowSpan span = key_rows_.span();
  // Whole blocks of rows: those beyond the last key are scratch.
  std::fill_n(dkey_products_ + place_.length * span.count, (pad_rows(place_.length) - place_.length) * span.count,
              0.0f);
  small_product<true>({.c = dkey,
                       .c_row = widths_.key_padded,
                       .a = dkey_products_,
                       .a_row = span.count,
                       .a_column = 1,
                       .b = key_table_,
                       .b_row = widths_.key_padded,
                       .m = pad_rows(place_.length),
                       .n = widths_.key_padded,
                       .k = span.count});
  if (sums.key_rows == nullptr) return;
  small_product<true>({.c = sums.key_rows + span.first * widths_.key_padded,
                       .c_row = widths_.key_padded,
                       .a = dkey_products_,
                       .a_row = 1,
                       .a_column = span.count,
                       .b = key_,
                       .b_row = widths_.key_padded,
                       .m = span.count,
                       .n = widths_.key_padded,
                       .k = place_.length});
}

}  // namespace phasor
