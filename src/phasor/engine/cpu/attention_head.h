#pragma once
// One head of one sequence, loaded into cache: queries and keys rotated and in fp32, in the layouts that
// the products want. Shared by the forward and the backward pass, so both see the same bits.
#include <algorithm>
#include <cstdint>

#include "phasor/engine/cpu/dropout_mask.h"
#include "phasor/engine/cpu/simd.h"
#include "phasor/engine/key_mask.h"
#include "phasor/engine/ops.h"

namespace phasor {

inline constexpr int64_t kQueryBlock = 32;  // query rows whose scores exist at one time; a multiple of kLanes

// What one (sequence, head) pair reads, by index.
struct HeadPlace {
  int64_t sequence = 0;
  int64_t first = 0;  // first token
  int64_t length = 0;
  int64_t head = 0;
  int64_t key_head = 0;
  int64_t rotation_table = 0, bias_table = 0, scale_table = 0;  // which of several tables (sequence_table)
};

HeadPlace head_place(const Attention& attention, int64_t sequence, int64_t head);
// The tokens [first, end) of a place's sequence as if they were all of it.
HeadPlace part_of(const HeadPlace& place, const KeySpan& tokens);

KeyMask key_mask(const Attention& attention, int64_t head);
// The logit of the head's sink; -infinity without one.
float sink_logit(const Attention& attention, int64_t head);

// Buffers are padded with zeros to a multiple of 16 channels and of 16 tokens.
struct HeadWidths {
  int64_t length = 0;
  int64_t key = 0, value = 0;  // channels, of keys as they are turned
  int64_t plain_key = 0;       // as they stand in memory
  int64_t key_padded = 0, value_padded = 0;
  int64_t length_padded = 0;

  HeadWidths(const AttentionShape& shape, int64_t tokens);
  // Floats that a row of biases or of factors takes.
  int64_t work() const { return std::max(length_padded, key_padded); }
};

// `work` holds widths.work() floats wherever it is asked for.

// What products of the head's queries are multiplied by, each row's factor apart.
float logit_scale(const Attention& attention, int64_t head);

// [length_padded, key_padded]: the head's own and the shared channels, shifted, rotated and multiplied by the logit
// scale and each row's factor.
void load_query(float* to, const Attention& attention, const HeadPlace& place, const HeadWidths& widths, float* work);
// The same without the row's factor: what its gradient is made of.
void load_query_without_row_scale(float* to, const Attention& attention, const HeadPlace& place,
                                  const HeadWidths& widths, float* work);
// [length_padded, key_padded]: the head's own and the shared channels, rotated.
void load_key(float* to, const Attention& attention, const HeadPlace& place, const HeadWidths& widths, float* work);
// The same for distance rows: not rotated; queries with the shift that rows have, and without the row's factor.
void load_row_query(float* to, const Attention& attention, const HeadPlace& place, const HeadWidths& widths);
void load_row_key(float* to, const Attention& attention, const HeadPlace& place, const HeadWidths& widths);
// In place: gradients by turned-back rows become those by what stands in memory. Nothing to do without a feature map.
// `plain` holds one row.
void unmap_query(float* gradient, const Attention& attention, const HeadPlace& place, const HeadWidths& widths,
                 int64_t first_row, int64_t rows, float* plain);
void unmap_key(float* gradient, const Attention& attention, const HeadPlace& place, const HeadWidths& widths,
               int64_t first_row, int64_t rows, float* plain);
// [length_padded, value_padded]
void load_value(float* to, const Attention& attention, const HeadPlace& place, const HeadWidths& widths);
// [length_padded, columns padded to a multiple of 16] of any matrix, starting at a column.
void load_rows(float* to, const ConstMatrix& from, const HeadPlace& place, int64_t first_column, int64_t columns);
// [stride, length_padded] from [length_padded, stride], of the tokens from `first`, a multiple of 16, up to `end`.
void transpose(float* to, const float* from, int64_t stride, int64_t length, int64_t first, int64_t end);

// Gradients by the turned channels of queries lack the factors that load_query put on them: rows [first_row,
// first_row + count) of the sequence, of `stride` floats.
void scale_by_logit_scale(float* rows, int64_t stride, int64_t first_row, int64_t count, const Attention& attention,
                          const HeadPlace& place);

// Row scales of one head's queries.
class RowScales {
 public:
  RowScales(const Attention& attention, const HeadPlace& place);
  bool any() const { return table_ != nullptr; }
  // In the head's row of the table.
  int64_t column(int64_t query) const { return columns_ > 1 ? positions_[query * position_stride_] : 0; }
  float operator()(int64_t query) const { return table_[column(query)]; }

 private:
  const float* table_ = nullptr;
  int64_t columns_ = 1;
  const int32_t* positions_;  // of the sequence's tokens on the scale's axis
  int64_t position_stride_;
};

// The bias of one query row over the sequence's keys: straight out of the table where positions run on
// by one, gathered otherwise.
class BiasRows {
 public:
  BiasRows(const Attention& attention, const HeadPlace& place);
  // [length] values, of which those of the span are there; or null without a bias.
  const float* row(int64_t query, const KeySpan& keys, float* work) const;
  // sums[reach + p_j - p_i] += values[j] for the keys j, in row p_i of `sums` where the bias has rows.
  void add_by_distance(float* sums, int64_t query, const float* values, const KeySpan& keys) const;

 private:
  int64_t position(int64_t token) const { return positions_[token * position_stride_]; }
  int64_t row_start(int64_t query, int64_t row_stride) const;

  const DistanceBias& bias_;
  int64_t length_;
  const int32_t* positions_;  // of the sequence's tokens on the bias's axis
  int64_t position_stride_;
  const float* table_ = nullptr;  // the head's first row
  bool consecutive_ = true;
};

// Query rows [begin, begin + rows) against keys [first_key, keys): those that some row sees, from a multiple of 16 on.
struct ScoreBlock {
  int64_t begin = 0;
  int64_t rows = 0, rows_padded = 0;  // padded to whole product blocks; what padding rows hold is never read
  int64_t first_key = 0, keys = 0, keys_padded = 0;

  ScoreBlock(const KeyMask& mask, int64_t first_row, int64_t length);
  int64_t key_count() const { return keys - first_key; }
  int64_t padded_count() const { return keys_padded - first_key; }
};

class PrefixRow;  // attention_prefix.h

// scores[rows, length_padded] = <q, k> + b - |c_i - c_j| from first_key to keys_padded; -infinity where masked and
// behind the keys.
void compute_scores(float* scores, const ScoreBlock& block, const float* query, const float* key_transposed,
                    const HeadWidths& widths, const KeyMask& mask, const BiasRows& bias, const PrefixRow& prefix,
                    float* work);

// Bit j % 64 of word j / 64 tells whether the weight from query i to key j of the block is kept; all ones without
// dropout.
void keep_row(uint64_t* bits, const ScoreBlock& block, const HeadPlace& place, int64_t query, const DropoutMask& mask);

[[gnu::always_inline]] inline uint16_t lane_bits(const uint64_t* bits, int64_t key) {
  return static_cast<uint16_t>(bits[key / 64] >> (key % 64));
}

}  // namespace phasor
