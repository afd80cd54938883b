#pragma once
// Distance rows for tests: parameters by name, and logits of queries and keys that a test made itself.
#include <gtest/gtest.h>

#include "encoding/biases.h"
#include "encoding/dense_logits.h"

namespace phasor::testing_support {

inline EncodingShape rows_shape(int64_t positions = 20, bool causal = false) {
  return {.layers = 2, .heads = 3, .head_width = 5, .width = 8, .positions = positions, .causal = causal};
}

inline const RowTerm& query_rows(const ResolvedEncoding& encoding, int64_t layer = 0) {
  return *encoding.layers[static_cast<size_t>(layer)].query_rows;
}
inline const RowTerm& key_rows(const ResolvedEncoding& encoding, int64_t layer = 0) {
  return *encoding.layers[static_cast<size_t>(layer)].key_rows;
}

// The row that a key so far ahead of the query reads.
inline int64_t row_at(const RowTerm& rows, int64_t distance) {
  return rows.index[static_cast<size_t>(rows.reach + distance)];
}

// Random queries and keys of a head, the same for all heads.
inline DenseLogits random_logits(const ResolvedEncoding& encoding, int64_t layer, int64_t head, int64_t length) {
  const int64_t width = encoding.shape.head_width;
  return dense_logits(encoding, layer, head, random_table(length, width, 11), random_table(length, width, 12),
                      counted_positions(encoding, length));
}

}  // namespace phasor::testing_support
