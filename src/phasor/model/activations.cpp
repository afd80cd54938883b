#include "phasor/model/activations.h"

namespace phasor {
namespace {

int64_t projection_width(const ModelConfig& config) { return (config.heads + 2 * config.kv_heads) * config.head_width; }

NormActivations carve_norm(Arena& arena, const ModelConfig& config, int64_t tokens, Dtype dtype) {
  return {.y = arena.matrix(dtype, tokens, config.width),
          .mean = arena.view<float>(tokens),
          .rstd = arena.view<float>(tokens)};
}

}  // namespace

Activations::Activations(Arena& arena, const ModelConfig& config, const Capacity& capacity, Dtype dtype) {
  const int64_t tokens = capacity.tokens;
  stream.push_back(arena.view<float>(tokens, config.width));
  for (int64_t l = 0; l < config.layers; ++l) {
    LayerActivations layer;
    layer.attention_norm = carve_norm(arena, config, tokens, dtype);
    layer.projections = arena.matrix(dtype, tokens, projection_width(config));
    layer.mixed = arena.matrix(dtype, tokens, config.heads * config.head_width);
    layer.log_sum = arena.view<float>(tokens, config.heads);
    layer.ffn_norm = carve_norm(arena, config, tokens, dtype);
    layer.hidden = arena.matrix(dtype, tokens, config.hidden);
    if (config.ffn == Activation::gelu) layer.preactivation = arena.matrix(dtype, tokens, config.hidden);
    layers.push_back(layer);
    stream.push_back(arena.view<float>(tokens, config.width));
    stream.push_back(arena.view<float>(tokens, config.width));
  }
  if (config.final_norm) final_norm = carve_norm(arena, config, tokens, dtype);
  branch = arena.matrix(dtype, tokens, config.width);
  if (config.readout != Readout::every) features = arena.view<float>(capacity.sequences, config.width);
  const int64_t targets = config.readout == Readout::every ? tokens : capacity.sequences;
  loss = arena.view<float>(targets);
  prediction = arena.view<int32_t>(targets);
}

GradientFlow::GradientFlow(Arena& arena, const ModelConfig& config, const Capacity& capacity, Dtype dtype)
    : stream(arena.view<float>(capacity.tokens, config.width)),
      normed(arena.matrix(dtype, capacity.tokens, config.width)),
      branch(arena.matrix(dtype, capacity.tokens, config.width)),
      hidden(arena.matrix(dtype, capacity.tokens, config.hidden)),
      projections(arena.matrix(dtype, capacity.tokens, projection_width(config))),
      mixed(arena.matrix(dtype, capacity.tokens, config.heads * config.head_width)) {
  if (config.readout != Readout::every) features = arena.view<float>(capacity.sequences, config.width);
}

}  // namespace phasor
