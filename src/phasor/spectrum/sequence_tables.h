#pragma once
// What an encoding does to the attention of one layer over one sequence, read from the tables that the engine's
// kernels read (ops.h says how): factors that turn queries and keys, factors on queries, and the bias of each head,
// sums of gates included. It is on the host and in double, so parts of queries and keys that were turned one by one add
// up to the turned whole.
#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

#include "phasor/engine/backend.h"
#include "phasor/linalg/dense.h"

namespace phasor {

// Which sequence, and what of the batch matters to it.
struct SequencePlace {
  int64_t length = 0;
  std::vector<int32_t> positions;  // [length, axes]
  int64_t axes = 1;
  int64_t rotation_table = 0, bias_table = 0, scale_table = 0;  // which of several tables
  std::vector<double> prefix = {};                              // [length, heads], sums of gates; empty: none
  // [length, token sets, pairs], what tokens turn by; empty: nothing.
  std::vector<std::complex<double>> token_factors = {};

  int64_t position(int64_t token, int64_t axis) const { return positions[static_cast<size_t>(token * axes + axis)]; }
};

class SequenceTables {
 public:
  // Only the tables, the shape and `causal` of the attention are read. Heads that tokens turn have a token_set (often
  // empty: none has).
  SequenceTables(Backend& backend, const Attention& attention, const std::vector<int32_t>& head_set,
                 const std::vector<int32_t>& token_set, const SequencePlace& place);

  int64_t length() const { return length_; }
  int64_t heads() const { return static_cast<int64_t>(head_set_.size()); }

  // [n, heads * width] as they are before rotation; turned. Queries are times their row scales too.
  Dense turned_queries(DenseView queries) const { return scaled(turned(queries, query_factors_)); }
  // Not turned, times their row scales.
  Dense plain_queries(DenseView queries) const { return scaled(copy_of(queries)); }
  Dense turned_keys(DenseView keys) const { return turned(keys, key_factors_); }

  bool is_turned(int64_t head) const { return head_set_[static_cast<size_t>(head)] >= 0; }
  // Of one head; empty where nothing turns it.
  std::vector<std::pair<int64_t, int64_t>> pairs(int64_t head) const;
  // Of each query; empty where all are 1.
  const std::vector<double>& row_scale(int64_t head) const { return row_scales_[static_cast<size_t>(head)]; }
  const Dense& bias(int64_t head) const { return biases_[static_cast<size_t>(head)]; }  // with gates; empty: none
  bool is_gated(int64_t head) const { return gated_[static_cast<size_t>(head)]; }

 private:
  using Factors = std::vector<ComplexDense>;  // per set: [n, pairs]

  Factors read_factors(Backend& backend, const RotationTable& rotation, const View<const float, 4>& table,
                       const SequencePlace& place) const;
  void read_biases(Backend& backend, const Attention& attention, const SequencePlace& place);
  void add_gates(bool causal, const SequencePlace& place);
  void read_row_scales(Backend& backend, const Attention& attention, const SequencePlace& place);
  void add_token_factors(const std::vector<int32_t>& token_set, int64_t pairs, const SequencePlace& place);
  Dense turned(DenseView rows, const Factors& factors) const;
  Dense scaled(Dense queries) const;

  int64_t length_;
  int64_t width_;                  // channels of a head
  std::vector<int32_t> head_set_;  // [heads], -1: not turned
  std::vector<std::pair<int64_t, int64_t>> pairs_;
  Factors query_factors_, key_factors_;
  std::vector<std::vector<double>> row_scales_;  // [heads][n]
  std::vector<Dense> biases_;
  std::vector<bool> gated_;
};

}  // namespace phasor
