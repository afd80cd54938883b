#pragma once
// The attention of a model's layer over a batch, read back as logits in double: from the queries and keys of the
// forward pass and the tables that attention read, so that every encoding is served by what it was trained with.
#include <memory>
#include <vector>

#include "phasor/model/transformer.h"
#include "phasor/spectrum/dense_terms.h"
#include "phasor/spectrum/head_logits.h"
#include "phasor/spectrum/sequence_tables.h"

namespace phasor {

class LayerLogits {
 public:
  // After model.forward(batch). Copies queries, keys and positions: later passes of the model do not matter to it, but
  // the model must live on with the parameters it has, since the tables of the encoding are read when asked for.
  LayerLogits(Transformer& model, const Batch& batch, int64_t layer);

  int64_t sequences() const { return static_cast<int64_t>(offsets_.size()) - 1; }
  int64_t heads() const { return attention_.shape.heads; }
  int64_t width() const { return attention_.shape.turned_width(); }  // channels of a head's query and key
  int64_t length(int64_t sequence) const { return first_row(sequence + 1) - first_row(sequence); }
  const std::vector<int32_t>& offsets() const { return offsets_; }
  bool causal() const { return attention_.causal; }
  double scale(int64_t head) const;  // on products of queries and keys
  // Whether the head's logits have a part that is neither product nor table, which stands in HeadLogits::bias.
  bool has_dense_term(int64_t head) const { return dense_->has(head); }

  // All heads of one sequence.
  std::vector<HeadLogits> sequence(int64_t sequence) const;
  // The same with other queries and keys in place of the model's, [n, heads * width] as they stand before rotation, and
  // before what an encoding adds to all queries (Attention::query_shift), which counts as content.
  std::vector<HeadLogits> sequence_with(int64_t sequence, DenseView queries, DenseView keys) const;
  std::vector<HeadLogits> sequence_with(int64_t sequence, const SequenceTables& tables, DenseView queries,
                                        DenseView keys) const;
  // What turns this sequence's queries and keys.
  SequenceTables tables(int64_t sequence) const;

  // Before rotation, [n, heads * width]. Where the encoding makes features of queries and keys, these are the features:
  // logits are products of them turned, so that what is said of queries and keys holds of features. Shared channels of
  // a decoupled path repeated for every head, keys of grouped heads for every head of the group.
  Dense queries(int64_t sequence) const { return copy_of(query_rows(sequence)); }
  Dense keys(int64_t sequence) const { return copy_of(key_rows(sequence)); }
  DenseView query_rows(int64_t sequence) const { return rows_of(queries_, sequence); }
  DenseView key_rows(int64_t sequence) const { return rows_of(keys_, sequence); }
  // Of all sequences, one after the other.
  const Dense& all_queries() const { return queries_; }
  const Dense& all_keys() const { return keys_; }
  // Of rows as projections make them, [n, heads * key width]: what stands before rotation.
  Dense features(DenseView rows) const;
  // The way back.
  Dense without_features(DenseView rows) const;

 private:
  int64_t first_row(int64_t sequence) const { return offsets_[static_cast<size_t>(sequence)]; }
  DenseView rows_of(const Dense& rows, int64_t sequence) const {
    return DenseView(rows.row(first_row(sequence)), length(sequence), rows.columns());
  }

  Backend& backend_;
  Attention attention_;  // its tables are read; what belongs to a batch was copied
  std::vector<int32_t> offsets_, positions_, head_set_;
  std::vector<int32_t> rotation_table_, bias_table_, scale_table_;  // of each sequence; empty: all read table 0
  std::vector<int32_t> window_, chunk_;                             // of each head; empty: none
  std::vector<float> sink_;                                         // [heads]; empty: none
  std::vector<float> head_scale_;
  std::vector<double> prefix_;                       // [tokens, heads], sums of gates; empty: none
  std::vector<int32_t> token_set_;                   // [heads]; empty: tokens turn nothing
  std::vector<std::complex<double>> token_factors_;  // [tokens, token sets, pairs]
  std::shared_ptr<const DenseTerms> dense_;
  int64_t axes_ = 1;
  Dense queries_, keys_;  // [tokens, heads * width]
};

// One head of [rows, heads * width].
inline DenseView head_columns(DenseView rows, int64_t head, int64_t width) {
  return rows.last_range(head * width, width);
}

}  // namespace phasor
