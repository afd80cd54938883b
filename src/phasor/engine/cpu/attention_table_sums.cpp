#include "phasor/engine/cpu/attention_table_sums.h"

#include <algorithm>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/simd.h"

namespace phasor {
namespace {

// Sums by distance: many runs of sequences share the work well. Those of large tables (a row per position) are
// fewer, so that their sums stay in cache, but busy many threads still.
constexpr int64_t kChunks = 32;
constexpr int64_t kFloats = int64_t{1} << 19;
constexpr int64_t kItems = 16;
constexpr int64_t kRowGrain = 64;

int64_t sequences_per_chunk(int64_t sequences, int64_t items_per_sequence, int64_t table_size) {
  const int64_t chunks = std::clamp(kFloats / table_size, chunk_count(kItems, items_per_sequence), kChunks);
  return std::max<int64_t>(1, chunk_count(sequences, chunks));
}

}  // namespace

AttentionTableSums::AttentionTableSums(const AttentionBackward& op, int64_t items_per_sequence,
                                       std::vector<float>& memory)
    : op_(op), sequences_(*op.attention.sequences.count) {
  const Attention& attention = op.attention;
  const int64_t padded = simd::round_up(attention.shape.key_width);
  const auto place = [&](const View<float, 2>& gradient, int64_t rows) {
    const int64_t first = layout_.size;
    if (!gradient.empty()) layout_.size += rows * padded;
    return first;
  };
  layout_.query_rows = place(op.dquery_rows, simd::round_up(op.dquery_rows.extent(0)));
  layout_.key_rows = place(op.dkey_rows, simd::round_up(op.dkey_rows.extent(0)));
  layout_.query_shift = place(op.dquery_shift, 1);
  layout_.row_shift = place(op.drow_shift, 1);
  if (!op.dbias.empty() || layout_.size > 0) {
    const int64_t floats = op.dbias.size() + attention.shape.heads * layout_.size;
    chunk_ = sequences_per_chunk(sequences_, items_per_sequence, floats);
  }
  if (!op.dbias.empty()) head_distances_ = attention.bias.rows * op.dbias.extent(1);
  if (!op.dfrequency.empty() && !attention.rotation.query.empty()) {
    head_frequencies_ = attention.rotation.axes * op.dfrequency.extent(1);
  }
  if (!op.dphase.empty() && !attention.rotation.query.empty()) head_phases_ = op.dphase.extent(1);
  chunks_ = chunk_count(sequences_, chunk_);
  const int64_t distances = head_distances_ > 0 ? chunks_ * op.dbias.size() : 0;
  const int64_t heads = chunks_ * attention.shape.heads * layout_.size;
  const int64_t frequencies = sequences_ * attention.shape.heads * head_frequencies_;
  const bool has_sinks = !op.dsink.empty() && !attention.sink.empty();
  const int64_t sinks = has_sinks ? sequences_ * attention.shape.heads : 0;
  const bool scaled = !op.dscale.empty() && !attention.row_scale.table.empty();
  const int64_t scales = scaled ? attention.shape.heads * int64_t{*attention.sequences.tokens} : 0;
  const int64_t phases = sequences_ * attention.shape.heads * head_phases_;
  const auto floats = static_cast<size_t>(distances + heads + frequencies + phases + sinks + scales);
  if (memory.size() < floats) memory.resize(floats);
  distances_ = memory.data();
  heads_ = distances_ + distances;
  frequencies_ = heads_ + heads;
  phases_ = frequencies_ + frequencies;
  if (has_sinks) sinks_ = phases_ + phases;
  if (scaled) scales_ = phases_ + phases + sinks;
}

void AttentionTableSums::clear(int64_t chunk_index, int64_t first_head, int64_t heads) const {
  const int64_t all_heads = op_.attention.shape.heads;
  std::fill_n(heads_ + (chunk_index * all_heads + first_head) * layout_.size, heads * layout_.size, 0.0f);
  if (head_distances_ == 0) return;
  const int64_t tables = op_.dbias.size() / (all_heads * head_distances_);
  for (int64_t table = chunk_index * tables; table < (chunk_index + 1) * tables; ++table) {
    std::fill_n(distances_ + (table * all_heads + first_head) * head_distances_, heads * head_distances_, 0.0f);
  }
}

HeadTableSums AttentionTableSums::of(const HeadPlace& place) const {
  const int64_t heads = op_.attention.shape.heads;
  HeadTableSums sums;
  if (head_distances_ > 0) {
    float* chunk = distances_ + place.sequence / chunk_ * op_.dbias.size();
    sums.distances = chunk + (place.bias_table * heads + place.head) * head_distances_;
  }
  if (head_frequencies_ > 0) {
    sums.frequencies = frequencies_ + (place.sequence * heads + place.head) * head_frequencies_;
  }
  if (scales_ != nullptr) sums.scales = scales_ + place.head * *op_.attention.sequences.tokens + place.first;
  if (sinks_ != nullptr) sums.sink = sinks_ + place.sequence * heads + place.head;
  if (head_phases_ > 0) sums.phases = phases_ + (place.sequence * heads + place.head) * head_phases_;
  float* head = heads_ + (place.sequence / chunk_ * heads + place.head) * layout_.size;
  if (!op_.dquery_rows.empty()) sums.query_rows = head + layout_.query_rows;
  if (!op_.dkey_rows.empty()) sums.key_rows = head + layout_.key_rows;
  if (!op_.dquery_shift.empty()) sums.query_shift = head + layout_.query_shift;
  if (!op_.drow_shift.empty()) sums.row_shift = head + layout_.row_shift;
  return sums;
}

// Heads that read one table add to it one after the other; a shift is a row of which each head has its own.
void AttentionTableSums::add_head_rows(const View<float, 2>& to, int64_t first) const {
  if (to.empty()) return;
  const AttentionShape& shape = op_.attention.shape;
  const int64_t padded = simd::round_up(shape.key_width);
  const bool apart = to.extent(1) > shape.key_width;
  parallel_for(to.extent(0), kRowGrain, [&](int64_t begin, int64_t end) {
    for (int64_t c = 0; c < chunks_; ++c) {
      for (int64_t h = 0; h < shape.heads; ++h) {
        const float* head = heads_ + (c * shape.heads + h) * layout_.size + first;
        for (int64_t row = begin; row < end; ++row) {
          const float* from = head + row * padded;
          float* sum = to.row(row) + (apart ? h * shape.key_width : 0);
#pragma omp simd
          for (int64_t d = 0; d < shape.key_width; ++d) sum[d] += from[d];
        }
      }
    }
  });
}

void AttentionTableSums::finish() const {
  const auto side_by_side = [](const View<float, 2>& shift) { return View<float, 2>(shift.data(), 1, shift.size()); };
  add_head_rows(op_.dquery_rows, layout_.query_rows);
  add_head_rows(op_.dkey_rows, layout_.key_rows);
  if (!op_.dquery_shift.empty()) add_head_rows(side_by_side(op_.dquery_shift), layout_.query_shift);
  if (!op_.drow_shift.empty()) add_head_rows(side_by_side(op_.drow_shift), layout_.row_shift);
  if (head_distances_ > 0) add_distances();
  if (head_frequencies_ > 0) add_by_set(op_.dfrequency, frequencies_, head_frequencies_);
  if (head_phases_ > 0) add_by_set(op_.dphase, phases_, head_phases_);
  if (scales_ != nullptr) add_scales();
  if (sinks_ != nullptr) add_sinks();
}

void AttentionTableSums::add_distances() const {
  const int64_t rows = op_.dbias.extent(0);
  const int64_t columns = op_.dbias.extent(1);
  parallel_for(rows, kRowGrain, [&](int64_t begin, int64_t end) {
    for (int64_t c = 0; c < chunks_; ++c) {
      for (int64_t row = begin; row < end; ++row) {
        const float* from = distances_ + (c * rows + row) * columns;
        float* to = op_.dbias.row(row);
#pragma omp simd
        for (int64_t d = 0; d < columns; ++d) to[d] += from[d];
      }
    }
  });
}

void AttentionTableSums::add_by_set(const View<float, 2>& to, const float* from, int64_t size) const {
  const Attention& attention = op_.attention;
  const RotationTable& rotation = attention.rotation;
  const int64_t columns = to.extent(1);
  std::vector<double> totals(static_cast<size_t>(to.size()));
  for (int64_t s = 0; s < sequences_; ++s) {
    for (int64_t h = 0; h < attention.shape.heads; ++h) {
      const HeadPlace place = head_place(attention, s, h);
      if (rotation.head_set(h) < 0 || place.length == 0) continue;
      double* total =
          &totals[static_cast<size_t>((place.rotation_table * rotation.sets + rotation.head_set(h)) * size)];
      const float* sums = from + (s * attention.shape.heads + h) * size;
      for (int64_t i = 0; i < size; ++i) total[i] += double{sums[i]};
    }
  }
  for (int64_t row = 0; row < to.extent(0); ++row) {
    for (int64_t c = 0; c < columns; ++c) {
      float& sum = to(row, c);
      sum = static_cast<float>(double{sum} + totals[static_cast<size_t>(row * columns + c)]);
    }
  }
}

void AttentionTableSums::add_scales() const {
  const Attention& attention = op_.attention;
  const int64_t heads = attention.shape.heads;
  const int64_t columns = op_.dscale.extent(1);
  const int64_t tables = op_.dscale.extent(0) / heads;
  parallel_for(heads, 1, [&](int64_t head, int64_t) {
    std::vector<double> totals(static_cast<size_t>(tables * columns));
    for (int64_t s = 0; s < sequences_; ++s) {
      const HeadPlace place = head_place(attention, s, head);
      if (place.length == 0) continue;
      const RowScales factors(attention, place);
      const float* from = of(place).scales;
      double* to = &totals[static_cast<size_t>(place.scale_table * columns)];
      for (int64_t i = 0; i < place.length; ++i) to[factors.column(i)] += double{from[i]};
    }
    for (int64_t table = 0; table < tables; ++table) {
      for (int64_t c = 0; c < columns; ++c) {
        float& to = op_.dscale(table * heads + head, c);
        to = static_cast<float>(double{to} + totals[static_cast<size_t>(table * columns + c)]);
      }
    }
  });
}

void AttentionTableSums::add_sinks() const {
  for (int64_t h = 0; h < op_.attention.shape.heads; ++h) {
    double total = 0.0;
    for (int64_t s = 0; s < sequences_; ++s) {
      const HeadPlace place = head_place(op_.attention, s, h);
      if (place.length > 0) total += double{*of(place).sink};
    }
    op_.dsink(h) = static_cast<float>(double{op_.dsink(h)} + total);
  }
}

}  // namespace phasor
