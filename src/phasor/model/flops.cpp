#include "phasor/model/flops.h"

#include "phasor/model/attention_layout.h"

namespace phasor {

double training_flops(const ModelConfig& config, const ResolvedEncoding& encoding, const Batch& batch) {
  const auto width = static_cast<double>(config.width);
  double pairs = 0.0;  // of query and key tokens
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    const auto i = static_cast<size_t>(s);
    const auto n = static_cast<double>(batch.offsets[i + 1] - batch.offsets[i]);
    pairs += config.causal ? n * (n + 1.0) / 2.0 : n * n;
  }
  double layers = 0.0;
  for (const LayerEncoding& layer : encoding.layers) {
    const AttentionLayout layout(config, layer);
    const auto heads = static_cast<double>(config.heads);
    const auto mixed = heads * static_cast<double>(config.head_width);
    double weights = mixed * width + 2.0 * width * static_cast<double>(config.hidden);
    if (layer.decoupled) {
      weights += width * static_cast<double>(layout.latents()) +
                 static_cast<double>(layout.query_latent * layout.first_key()) +
                 static_cast<double>(layout.key_latent * (layout.keys + layout.values));
    } else {
      weights += width * static_cast<double>(layout.columns());
    }
    for (const GateTerm& gates : layer.gates) weights += static_cast<double>(gates.heads.size()) * width;
    const double pair = heads * static_cast<double>(layout.shape.key_width) + mixed;
    layers += weights * static_cast<double>(batch.token_count()) + pair * pairs;
  }
  const double readout = width * static_cast<double>(outputs(config)) * static_cast<double>(batch.targets.size());
  return 3.0 * 2.0 * (layers + readout);
}

}  // namespace phasor
