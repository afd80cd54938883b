#pragma once
// The gradients of attention by its tables: by distance (the bias, rows and their shifts), by frequency and by phase
// (the rotation), by the query's position (the row scale) and by sink. Many sequences and heads add to one entry, so
// every part of the work has sums of its own, and these are added up in order: the same bits at any thread count.
#include <cstdint>
#include <vector>

#include "phasor/engine/cpu/attention_head.h"
#include "phasor/engine/ops.h"

namespace phasor {

// Where one head of one sequence puts its share; null where nobody asks for it.
struct HeadTableSums {
  float* distances = nullptr;    // [bias rows, 2 reach + 1], added to
  float* frequencies = nullptr;  // [axes, pairs], overwritten
  float* scales = nullptr;       // [length], of the row scale at each query; overwritten
  float* sink = nullptr;         // one number, overwritten
  float* phases = nullptr;       // [pairs], overwritten
  // Added to; key_padded and a multiple of 16 rows, as HeadWidths pads.
  float* query_rows = nullptr;
  float* key_rows = nullptr;
  float* query_shift = nullptr;  // [key_padded]
  float* row_shift = nullptr;
};

class AttentionTableSums {
 public:
  // An item of work takes some heads of a run of chunk() sequences. `memory` grows to what the sums take.
  AttentionTableSums(const AttentionBackward& op, int64_t items_per_sequence, std::vector<float>& memory);

  int64_t chunk() const { return chunk_; }
  // Before an item: its sums that are added to are 0.
  void clear(int64_t chunk_index, int64_t first_head, int64_t heads) const;
  HeadTableSums of(const HeadPlace& place) const;
  // After all items: the gradients by tables += the sums.
  void finish() const;

 private:
  void add_distances() const;
  // += the sums of all sequences and heads, [sequences, heads, size] at `from`; `size` are those of one set.
  void add_by_set(const View<float, 2>& to, const float* from, int64_t size) const;
  void add_scales() const;
  void add_sinks() const;
  void add_head_rows(const View<float, 2>& to, int64_t first) const;

  // Of the sums that each head has in each chunk, in floats from the first on.
  struct HeadLayout {
    int64_t query_rows = 0, key_rows = 0, query_shift = 0, row_shift = 0, size = 0;
  };

  const AttentionBackward& op_;
  int64_t sequences_ = 0;
  int64_t chunk_ = 1, chunks_ = 0;
  int64_t head_distances_ = 0, head_frequencies_ = 0, head_phases_ = 0;  // of one head; 0: not asked for
  float* distances_ = nullptr;                                           // [chunks, as dbias]
  HeadLayout layout_;
  float* heads_ = nullptr;        // [chunks, heads, layout_.size]
  float* frequencies_ = nullptr;  // [sequences, heads, axes, pairs]
  float* phases_ = nullptr;       // [sequences, heads, pairs]
  float* scales_ = nullptr;       // [heads, tokens]; null: not asked for
  float* sinks_ = nullptr;        // [sequences, heads]; null: not asked for
};

}  // namespace phasor
