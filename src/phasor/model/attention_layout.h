#pragma once
// Where a layer's queries, keys and values lie side by side, and how wide they are.
#include <cstdint>

#include "phasor/encoding/resolve/resolved.h"
#include "phasor/engine/ops.h"
#include "phasor/model/config.h"

namespace phasor {

struct AttentionLayout {
  AttentionShape shape;
  // Columns of the packed projections, in this order.
  int64_t queries = 0;
  int64_t shared_queries = 0;
  int64_t keys = 0;
  int64_t values = 0;
  // Columns of the latents, in this order; none without a decoupled path.
  int64_t query_latent = 0;
  int64_t key_latent = 0;
  int64_t shared_keys = 0;

  AttentionLayout(const ModelConfig& config, const LayerEncoding& layer);

  int64_t columns() const { return queries + shared_queries + keys + values; }
  int64_t first_key() const { return queries + shared_queries; }
  int64_t latents() const { return query_latent + key_latent + shared_keys; }
};

}  // namespace phasor
