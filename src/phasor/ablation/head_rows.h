#pragma once
// What a layer's attention reads and gives, of one batch, on the host.
#include <vector>

#include "phasor/model/transformer.h"

namespace phasor {

// Queries and keys side by side, as they stand before rotation: [queries, shared queries, keys, shared keys].
struct QueryKeyColumns {
  int64_t query = 0, shared_query = 0, key = 0, shared_key = 0;

  explicit QueryKeyColumns(const Attention& attention);
  int64_t total() const { return query + shared_query + key + shared_key; }
};

// [tokens, QueryKeyColumns::total()].
std::vector<float> query_key_rows(Backend& backend, const Attention& attention, int64_t tokens);

}  // namespace phasor
