#pragma once
// A case of ragged attention: which fields of the op record it uses, and how.
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "phasor/engine/ops.h"

namespace phasor::testing_support {

struct AttentionCase {
  std::string name;
  std::vector<int32_t> lengths;
  AttentionShape shape;
  bool causal = false;
  bool shuffled = true;       // positions with gaps and out of order; else 0 .. n - 1
  int64_t running_axis = -1;  // the positions on this axis run on by one, from another start in each sequence
  int64_t axes = 1;           // of the positions
  int64_t pairs = 0;          // rotated pairs; 0: no rotation
  int64_t first = 0;
  bool halves = false;
  int64_t rotation_axes = 1;
  std::vector<int32_t> head_set;  // empty: set 0 for all heads
  bool decays = false;            // query and key tables differ, and their factors do not have modulus 1
  int64_t rotation_tables = 1;    // more than one: sequences read different ones
  bool phases = false;            // of keys
  FeatureMap feature = FeatureMap::none;
  bool bias = false;
  bool bias_rows = false;  // a row of biases for each position of the query
  int64_t bias_axis = 0;
  int64_t bias_tables = 1;
  enum class Rows : uint8_t {
    none,
    clipped,    // farther distances read the last row
    all,        // each distance has its own
    backwards,  // likewise, the last row first
    buckets,    // a few rows in ranges that grow
    random,
  };
  Rows query_rows = Rows::none, key_rows = Rows::none;
  bool shared_rows = false;  // the heads read one table
  bool shifts = false;
  int64_t rows_axis = 0;
  bool head_scale = false;
  bool prefix = false;
  bool row_scale = false;
  bool row_scale_by_query = true;  // else one factor per head, or per head and table
  int64_t row_scale_axis = 0;
  int64_t row_scale_tables = 1;
  std::vector<int64_t> window, chunk;  // [heads] or empty
  bool sink = false;
  bool token_turns = false;  // heads 0, 2, ... turn by tokens
  float rate = 0.0f;
  bool packed = false;  // query, key, value are column ranges of one matrix
  int64_t spare = 0;    // tokens and sequences of capacity beyond the batch

  bool has_rows() const { return query_rows != Rows::none || key_rows != Rows::none; }
  bool masked() const { return !window.empty() || !chunk.empty() || sink; }
};

inline void PrintTo(const AttentionCase& c, std::ostream* out) { *out << c.name; }

}  // namespace phasor::testing_support
