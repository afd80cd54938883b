#pragma once
// Distance rows of one head of one sequence: each distance reads a row of a table, and a token has one product with
// each row. The products are made for whole blocks of tokens; scores gather them, gradients are scattered back.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "phasor/engine/cpu/attention_head.h"
#include "phasor/engine/cpu/attention_table_sums.h"
#include "phasor/engine/cpu/scratch_carver.h"
#include "phasor/engine/ops.h"

namespace phasor {

// Distances, one after the other, that read rows one after the other (step 1 or -1) or all the same one (step 0).
struct RowRun {
  int64_t first = 0, count = 0;  // columns of the index
  int64_t row = 0;               // that the first column reads
  int64_t step = 0;
};

// The runs of both tables of an op; none where a table is not there.
struct RowRuns {
  std::vector<RowRun> query, key;

  explicit RowRuns(const Attention& attention);
};

// Rows first .. first + count - 1; both are multiples of 16.
struct RowSpan {
  int64_t first = 0, count = 0;
};

// One table as one head of one sequence sees it.
class HeadRows {
 public:
  HeadRows(const DistanceRows& rows, const std::vector<RowRun>& runs, const Attention& attention,
           const HeadPlace& place);

  bool any() const { return !rows_.table.empty(); }
  RowSpan span() const { return span_; }                 // what the whole sequence reads
  RowSpan span(const ScoreBlock& block) const;           // what a block of queries reads
  void load(float* to, const HeadWidths& widths) const;  // [span().count, key_padded]

  // Below, z holds a number per row from row 0 on, and `work` `length` numbers; keys are those that the query sees.
  // to[j] += z[row of key j].
  void gather(float* to, const float* z, int64_t query, const KeySpan& keys, int32_t* work) const;
  // dz[row of key j] += values[j].
  void scatter(float* dz, const float* values, int64_t query, const KeySpan& keys, int32_t* work) const;
  // Every key has numbers of its own, `stride` apart: to[j] += factor * z[j][row of key j].
  void gather_own(float* to, const float* z, int64_t stride, float factor, int64_t query, const KeySpan& keys,
                  int32_t* work) const;
  void scatter_own(float* dz, int64_t stride, const float* values, float factor, int64_t query, const KeySpan& keys,
                   int32_t* work) const;
  // The sum of values[j] * z[j][row of key j].
  float product_own(const float* z, int64_t stride, const float* values, int64_t query, const KeySpan& keys,
                    int32_t* work) const;

 private:
  int64_t position(int64_t token) const { return positions_[token * position_stride_]; }
  const int32_t* rows_of(int64_t query, const KeySpan& keys, int32_t* work) const;
  RowSpan span_of(int64_t least_distance, int64_t largest_distance) const;

  const DistanceRows& rows_;
  const std::vector<RowRun>& runs_;
  int64_t head_, length_;
  bool causal_;
  const int32_t* positions_;
  int64_t position_stride_;
  bool consecutive_ = true;
  RowSpan span_;
};

// What both tables add to a head's scores, and what becomes of the scores' gradient. It works in memory that the caller
// carves; the products of keys are made at once, those of queries block by block.
class HeadRowProducts {
 public:
  enum class Pass : uint8_t { forward, backward };

  static bool any(const Attention& attention) {
    return !attention.query_rows.table.empty() || !attention.key_rows.table.empty();
  }
  static int64_t scratch(const Attention& attention, const HeadWidths& widths, Pass pass);

  // `query` and `key` are the loaded ones, which serve here too where nothing sets them apart.
  HeadRowProducts(const Attention& attention, const RowRuns& runs, const HeadPlace& place, const HeadWidths& widths,
                  const KeyMask& mask, const float* query, const float* key, ScratchCarver& carver, Pass pass);

  // Onto scores [rows, length_padded] of the visible keys.
  void add_to(float* scores, const ScoreBlock& block);

  // Takes the gradient by a block's scores: what it says of the tables goes into `sums`, onto the row scale's gradient
  // that is there.
  void take(const float* dscores, const ScoreBlock& block, const HeadTableSums& sums);
  // Then, block by block: dquery[rows, key_padded] += what the rows say of the queries as they were read.
  void add_query_gradient(float* dquery, const ScoreBlock& block, const HeadTableSums& sums) const;
  // After all blocks: dkey[length, key_padded] +=.
  void add_key_gradient(float* dkey, const HeadTableSums& sums);

 private:
  KeySpan visible(const ScoreBlock& block, int64_t row) const {
    return mask_.seen_by(block.begin + row, place_.length);
  }
  // Of one query's products, the row's factor included.
  float factor(int64_t query) const { return row_scales_.any() ? factor_ * row_scales_(query) : factor_; }

  const Attention& attention_;
  const HeadPlace& place_;
  const HeadWidths& widths_;
  const KeyMask& mask_;
  HeadRows query_rows_, key_rows_;
  float factor_;  // the logit scale
  RowScales row_scales_;
  const float* query_;                 // before the rotation, shifted by v, multiplied by the logit scale alone
  const float* key_;                   // before the rotation
  float* query_table_ = nullptr;       // [count, key_padded]
  float* query_transposed_ = nullptr;  // [key_padded, count]
  float* key_table_ = nullptr;         // [count, key_padded]
  float* products_ = nullptr;          // of a block: [kQueryBlock, count], and their gradient
  float* dproducts_ = nullptr;
  float* dquery_ = nullptr;        // [kQueryBlock, key_padded], with the row's factor, without the logit scale
  float* key_products_ = nullptr;  // [length_padded, count], and their gradient
  float* dkey_products_ = nullptr;
  int32_t* work_ = nullptr;
};

}  // namespace phasor
