#include "phasor/ablation/head_rows.h"

#include "phasor/engine/download.h"

namespace phasor {

QueryKeyColumns::QueryKeyColumns(const Attention& attention)
    : query(attention.query.columns()),
      shared_query(attention.shared_query.columns()),
      key(attention.key.columns()),
      shared_key(attention.shared_key.columns()) {}

std::vector<float> query_key_rows(Backend& backend, const Attention& attention, int64_t tokens) {
  return download_side_by_side(backend, {attention.query, attention.shared_query, attention.key, attention.shared_key},
                               tokens);
}

}  // namespace phasor
