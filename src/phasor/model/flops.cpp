#include "phasor/model/flops.h"

namespace phasor {

double training_flops(const ModelConfig& config, const Batch& batch) {
  const auto width = static_cast<double>(config.width);
  const auto query = static_cast<double>(config.heads * config.head_width);
  const auto key = static_cast<double>(config.kv_heads * config.head_width);
  const double layer_weights =
      width * (query + 2.0 * key) + query * width + 2.0 * width * static_cast<double>(config.hidden);
  double pairs = 0.0;  // of query and key tokens
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    const auto i = static_cast<size_t>(s);
    const auto n = static_cast<double>(batch.offsets[i + 1] - batch.offsets[i]);
    pairs += config.causal ? n * (n + 1.0) / 2.0 : n * n;
  }
  const double layers = static_cast<double>(config.layers) *
                        (layer_weights * static_cast<double>(batch.token_count()) + 2.0 * query * pairs);
  const double readout = width * static_cast<double>(config.classes) * static_cast<double>(batch.targets.size());
  return 3.0 * 2.0 * (layers + readout);
}

}  // namespace phasor
