#pragma once
// What a layer's attention adds to logits that are not sums over channels (engine/dense_term.h), on the host: for
// queries and keys of the model, or for others in their place.
#include <cstdint>
#include <vector>

#include "phasor/engine/backend.h"
#include "phasor/linalg/dense.h"

namespace phasor {

class DenseTerms {
 public:
  // Copies what the term has, for a batch of so many tokens that stand at `positions`, [tokens, axes].
  DenseTerms(Backend& backend, const Attention& attention, int64_t tokens, std::vector<int32_t> positions,
             int64_t axes);
  DenseTerms(const DenseTerms&) = delete;
  DenseTerms& operator=(const DenseTerms&) = delete;
  ~DenseTerms() = default;

  bool any() const { return term_.any(); }
  bool has(int64_t head) const { return any() && term_.head_set(head) >= 0; }

  // One head of one sequence, [n, width] each. Turned queries are times their row scales, and `scaled` are the others
  // times these.
  struct Rows {
    DenseView query, scaled_query, key, turned_query, turned_key;
    double scale = 1.0;
    bool causal = false;
  };
  // [n, n]: what the logits have beyond scale * turned_query turned_key^T, and 0 where a causal head does not look.
  // The sequence's first token is `first` of the batch.
  Dense beyond_products(int64_t head, int64_t first, const Rows& rows) const;

 private:
  std::vector<int32_t> positions_, head_set_;
  std::vector<float> vectors_, directions_, strengths_, query_back_, query_ahead_, key_;
  View<const int32_t, 2> position_rows_;
  DenseTerm term_;  // of the above
};

}  // namespace phasor
