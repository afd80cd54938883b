#include "phasor/model/flops.h"

#include <algorithm>
#include <map>
#include <utility>

#include "phasor/engine/key_mask.h"
#include "phasor/model/attention_layout.h"

namespace phasor {
namespace {

// Of query and key tokens that see each other, over all heads.
double seen_pairs(const ModelConfig& config, const LayerEncoding& layer, const Batch& batch) {
  double pairs = 0.0;
  std::map<std::pair<int64_t, int64_t>, double> known;  // heads with the same mask
  for (const HeadMask& head : layer.masks) {
    const auto [found, fresh] = known.try_emplace({head.window, head.chunk}, 0.0);
    const KeyMask mask{config.causal, head.window, head.chunk};
    for (int64_t s = 0; fresh && s < batch.sequence_count(); ++s) {
      const int64_t n = batch.offsets[static_cast<size_t>(s) + 1] - batch.offsets[static_cast<size_t>(s)];
      for (int64_t i = 0; i < n; ++i) {
        const KeySpan seen = mask.seen_by(i, n);
        found->second += static_cast<double>(seen.end - seen.first);
      }
    }
    pairs += found->second;
  }
  return pairs;
}

double share_of_heads(const ModelConfig& config, const DensePlace& dense) {
  return static_cast<double>(dense.heads.size()) / static_cast<double>(config.heads);
}

// Products of one channel with another beyond those of query and key, for each pair of tokens that see each other; a
// mean over the heads.
double dense_products(const ModelConfig& config, const LayerEncoding& layer) {
  if (layer.dense == nullptr) return 0.0;
  const double share = share_of_heads(config, *layer.dense);
  // A vector is projected on a direction and moved along it.
  if (layer.dense->reflections() != nullptr) return 2.0 * share * static_cast<double>(config.head_width);
  return 0.0;
}

// Weights that every token meets.
double dense_weights(const ModelConfig& config, const LayerEncoding& layer) {
  if (layer.dense == nullptr) return 0.0;
  const auto heads = static_cast<double>(layer.dense->heads.size()), width = static_cast<double>(config.width);
  const double directions = heads * static_cast<double>(config.head_width);
  if (const ContextPositions* positions = layer.dense->positions()) {
    return directions * static_cast<double>(positions->most + 1);  // of every query with every position
  }
  const TokenReflections* reflections = layer.dense->reflections();
  if (reflections == nullptr) return 0.0;
  const auto inner = static_cast<double>(reflections->inner);
  return heads * width + (reflections->inner > 0 ? inner * (width + directions) : width * directions);
}

}  // namespace

namespace {

// Products of every token with the rows that its sequence's distances read.
double row_products(const ModelConfig& config, const RowTerm* rows, const Batch& batch) {
  if (rows == nullptr) return 0.0;
  double count = 0.0;
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    const auto i = static_cast<size_t>(s);
    const int64_t n = batch.offsets[i + 1] - batch.offsets[i];
    const int64_t distances = config.causal ? n : 2 * n - 1;
    count += static_cast<double>(n) * static_cast<double>(std::min(rows->fixed.rows, distances));
  }
  return count * static_cast<double>(config.heads * config.head_width);
}

}  // namespace

double training_flops(const ModelConfig& config, const ResolvedEncoding& encoding, const Batch& batch) {
  const auto width = static_cast<double>(config.width);
  double layers = 0.0;
  for (const LayerEncoding& layer : encoding.layers) {
    const AttentionLayout layout(config, layer);
    const auto mixed = static_cast<double>(config.heads * config.head_width);
    double weights = mixed * width + 2.0 * width * static_cast<double>(config.hidden);
    if (layer.decoupled) {
      weights += width * static_cast<double>(layout.latents()) +
                 static_cast<double>(layout.query_latent * layout.first_key()) +
                 static_cast<double>(layout.key_latent * (layout.keys + layout.values));
    } else {
      weights += width * static_cast<double>(layout.columns());
    }
    for (const GateTerm& gates : layer.gates) weights += static_cast<double>(gates.heads.size()) * width;
    if (layer.token_rotation) {
      const TokenRotation& turn = *layer.token_rotation;
      const auto inner = static_cast<double>(turn.inner);
      weights += (turn.product ? 2.0 : 1.0) * inner * width;
      weights += static_cast<double>(turn.numbers()) * (turn.inner > 0 ? inner : width);
      if (turn.gate_weight >= 0) weights += static_cast<double>(turn.heads.size()) * width;
    }
    const double pair = static_cast<double>(layout.shape.turned_width()) + static_cast<double>(config.head_width) +
                        dense_products(config, layer);
    weights += dense_weights(config, layer);
    layers += weights * static_cast<double>(batch.token_count()) + pair * seen_pairs(config, layer, batch);
    layers += row_products(config, layer.query_rows.get(), batch) + row_products(config, layer.key_rows.get(), batch);
  }
  const double readout = width * static_cast<double>(outputs(config)) * static_cast<double>(batch.targets.size());
  return 3.0 * 2.0 * (layers + readout);
}

}  // namespace phasor
