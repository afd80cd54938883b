#include "phasor/model/attention_layout.h"

namespace phasor {

AttentionLayout::AttentionLayout(const ModelConfig& config, const LayerEncoding& layer) {
  const int64_t rotary = layer.decoupled ? layer.decoupled->rotary : 0;
  const bool shared_query = layer.decoupled && layer.decoupled->shared_query;
  shared_queries = shared_query ? rotary : 0;
  shared_keys = rotary;
  queries = config.heads * (config.head_width + rotary - shared_queries);
  keys = config.kv_heads * config.head_width;
  values = config.kv_heads * config.head_width;
  if (layer.decoupled) {
    query_latent = layer.decoupled->query_latent;
    key_latent = layer.decoupled->key_latent;
  }
  shape = {.heads = static_cast<int32_t>(config.heads),
           .key_heads = static_cast<int32_t>(config.kv_heads),
           .key_width = static_cast<int32_t>(config.head_width + rotary),
           .shared_key_width = static_cast<int32_t>(shared_keys),
           .shared_query_width = static_cast<int32_t>(shared_queries),
           .value_width = static_cast<int32_t>(config.head_width),
           .feature = layer.feature};
}

}  // namespace phasor
