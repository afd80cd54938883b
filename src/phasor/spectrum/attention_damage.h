#pragma once
// How far another encoding moves the attention of a trained model, head by head: the weights A that a layer's queries
// and keys have under the encoding they were trained with, against the weights B that the same queries and keys have
// under another one.
//
//   divergence of a query i   sum_j A_ij log(A_ij / B_ij), in nats; infinite where B hides a key that A looks at
//   moved by a query i        sum_j |A_ij - B_ij| / 2, the share of attention that goes to other keys
//
// Both are means over queries, those of all sequences alike. Every layer is given the first model's queries and keys,
// so that what one layer does is not blamed on the next; a term that is added to the embeddings stands before them and
// is not seen.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "phasor/model/transformer.h"

namespace phasor {

inline constexpr int64_t kPlaces = 10;  // tenths of a sequence, by the query's place in it

// Which tenth a token of a sequence of `length` belongs to.
inline int64_t place_of_token(int64_t token, int64_t length) { return token * kPlaces / length; }

struct QueryDamage {
  double divergence = 0.0, moved = 0.0;
};

// One query with its logits under both encodings, over the keys that it may see. -infinity: it does not see that one.
QueryDamage query_damage(std::span<const double> logits, std::span<const double> other);

// A sum over queries.
struct DamageSum {
  QueryDamage sum;
  int64_t queries = 0;

  void add(const QueryDamage& damage);
  void add(const DamageSum& other);
  double divergence() const { return queries > 0 ? sum.divergence / static_cast<double>(queries) : 0.0; }
  double moved() const { return queries > 0 ? sum.moved / static_cast<double>(queries) : 0.0; }
};

struct HeadDamage {
  int64_t layer = 0, head = 0;
  std::array<DamageSum, kPlaces> places;

  DamageSum all() const;
};

class AttentionDamage {
 public:
  // Runs both models over the batch. Throws Error where their layers, heads or widths differ.
  void add(Transformer& model, Transformer& other, const Batch& batch);

  const std::vector<HeadDamage>& heads() const { return heads_; }  // layer by layer

 private:
  std::vector<HeadDamage> heads_;
};

}  // namespace phasor
