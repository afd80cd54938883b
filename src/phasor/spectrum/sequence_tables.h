#pragma once
// What an encoding does to the attention of one layer over one sequence, read from the tables that the engine's
// kernels read (ops.h says how): factors that turn queries and keys, factors on queries, distance rows, and the bias of
// each head, sums of gates included. A shift v of the queries that rows meet makes a bias: scale <v, E(d)>. It is on
// the host and in double, so parts of queries and keys that were turned one by one add up to the turned whole.
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
  // [n, heads * width] with the shift of the queries that keys meet; before any rotation.
  Dense shifted_queries(DenseView queries) const;

  // On what one query is multiplied with, its row scale included.
  double scale(int64_t head, int64_t query) const;
  bool has_rows() const { return !query_rows_.index.empty() || !key_rows_.index.empty(); }
  // Of one head: <q, E(p_j - p_i)> + <k, F(p_j - p_i)> for a query at token i and a key at token j, both as they are
  // before rotation; without the scale.
  double row_product(int64_t head, int64_t i, int64_t j, const double* query, const double* key) const;
  // scale(i) * row_product of [n, width] each, 0 where a causal head does not look; empty without rows.
  Dense row_products(int64_t head, DenseView queries, DenseView keys) const;

  // Of one head; empty where nothing turns it.
  std::vector<std::pair<int64_t, int64_t>> pairs(int64_t head) const;
  // Of each query; empty where all are 1.
  const std::vector<double>& row_scale(int64_t head) const { return row_scales_[static_cast<size_t>(head)]; }
  const Dense& bias(int64_t head) const { return biases_[static_cast<size_t>(head)]; }  // with gates; empty: none
  bool is_gated(int64_t head) const { return gated_[static_cast<size_t>(head)]; }

 private:
  using Factors = std::vector<ComplexDense>;  // per set: [n, pairs]
  // Distance rows, with the positions that they read.
  struct Rows {
    Dense table;                 // [rows, width or heads * width]
    std::vector<int32_t> index;  // empty: none
    std::vector<int64_t> positions;
    int64_t reach = 0;

    const double* of(int64_t head, int64_t width, int64_t i, int64_t j) const;
  };

  Factors read_factors(Backend& backend, const RotationTable& rotation, const View<const float, 4>& table,
                       const SequencePlace& place) const;
  static Rows read_rows(Backend& backend, const DistanceRows& rows, const SequencePlace& place);
  void add_shift_biases(Backend& backend, const Attention& attention);
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
  bool causal_;
  std::vector<double> scales_;  // [heads]
  Rows query_rows_, key_rows_;
  std::vector<double> query_shift_;  // [heads * width] or empty
};

}  // namespace phasor
