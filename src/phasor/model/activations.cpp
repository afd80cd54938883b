#include "phasor/model/activations.h"

#include <algorithm>

#include "phasor/model/attention_layout.h"

namespace phasor {
namespace {

int64_t gate_count(const LayerEncoding& layer) {
  int64_t count = 0;
  for (const GateTerm& gates : layer.gates) count += static_cast<int64_t>(gates.heads.size());
  return count;
}

TokenTurnActivations carve_turn(Arena& arena, const TokenRotation& rotation, int64_t tokens, Dtype dtype) {
  const auto heads = static_cast<int64_t>(rotation.heads.size());
  TokenTurnActivations turn;
  if (rotation.product) turn.halves = arena.matrix(dtype, tokens, 2 * rotation.inner);
  if (rotation.inner > 0) turn.inner = arena.matrix(dtype, tokens, rotation.inner);
  turn.z = arena.view<float>(tokens, rotation.numbers());
  if (rotation.gate_weight >= 0) turn.gate = arena.view<float>(tokens, heads);
  turn.factors = arena.view<float>(tokens, heads, rotation.pairs, 2);
  return turn;
}

ReflectionActivations carve_reflections(Arena& arena, const DensePlace& dense, int64_t head_width, int64_t tokens,
                                        Dtype dtype) {
  const TokenReflections* reflections = dense.reflections();
  if (reflections == nullptr) return {};
  const auto heads = static_cast<int64_t>(dense.heads.size());
  ReflectionActivations result;
  if (reflections->inner > 0) result.inner = arena.matrix(dtype, tokens, reflections->inner);
  result.directions = arena.view<float>(tokens, heads * head_width);
  result.strengths = arena.view<float>(tokens, heads);
  return result;
}

NormActivations carve_norm(Arena& arena, const ModelConfig& config, int64_t tokens, Dtype dtype) {
  return {.y = arena.matrix(dtype, tokens, config.width),
          .mean = arena.view<float>(tokens),
          .rstd = arena.view<float>(tokens)};
}

LatentActivations carve_latents(Arena& arena, const AttentionLayout& layout, bool norm, int64_t tokens, Dtype dtype) {
  LatentActivations latents;
  latents.raw = arena.view<float>(tokens, layout.latents());
  if (norm || dtype != Dtype::f32) {
    latents.query = arena.matrix(dtype, tokens, layout.query_latent);
    latents.key = arena.matrix(dtype, tokens, layout.key_latent);
    latents.query_rstd = arena.view<float>(tokens);
    latents.key_rstd = arena.view<float>(tokens);
  } else {
    latents.query = Matrix(latents.raw).column_range(0, layout.query_latent);
    latents.key = Matrix(latents.raw).column_range(layout.query_latent, layout.key_latent);
  }
  return latents;
}

}  // namespace

Activations::Activations(Arena& arena, const ModelConfig& config, const ResolvedEncoding& encoding,
                         const Capacity& capacity, Dtype dtype) {
  const int64_t tokens = capacity.tokens;
  stream.push_back(arena.view<float>(tokens, config.width));
  for (int64_t l = 0; l < config.layers; ++l) {
    LayerActivations layer;
    layer.attention_norm = carve_norm(arena, config, tokens, dtype);
    const LayerEncoding& layer_encoding = encoding.layers[static_cast<size_t>(l)];
    const AttentionLayout layout(config, layer_encoding);
    if (layer_encoding.decoupled) {
      layer.latents = carve_latents(arena, layout, layer_encoding.decoupled->norm, tokens, dtype);
    }
    layer.projections = arena.matrix(dtype, tokens, layout.columns());
    if (const int64_t gates = gate_count(layer_encoding); gates > 0) {
      layer.gates = arena.view<float>(tokens, gates);
      layer.prefix = arena.view<double>(tokens, config.heads);
    }
    if (layer_encoding.token_rotation) layer.turn = carve_turn(arena, *layer_encoding.token_rotation, tokens, dtype);
    if (layer_encoding.dense != nullptr) {
      layer.reflections = carve_reflections(arena, *layer_encoding.dense, config.head_width, tokens, dtype);
    }
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
  if (config.kv_source == KvSource::input) {
    embedded = dtype == Dtype::f32 ? Matrix(stream[0]) : arena.matrix(dtype, tokens, config.width);
  }
  branch = arena.matrix(dtype, tokens, config.width);
  if (config.readout != Readout::every) features = arena.view<float>(capacity.sequences, config.width);
  const int64_t targets = config.readout == Readout::every ? tokens : capacity.sequences;
  loss = arena.view<float>(targets);
  prediction = arena.view<int32_t>(targets);
}

GradientFlow::GradientFlow(Arena& arena, const ModelConfig& config, const ResolvedEncoding& encoding,
                           const Capacity& capacity, Dtype dtype)
    : stream(arena.view<float>(capacity.tokens, config.width)),
      normed(arena.matrix(dtype, capacity.tokens, config.width)),
      branch(arena.matrix(dtype, capacity.tokens, config.width)),
      hidden(arena.matrix(dtype, capacity.tokens, config.hidden)),
      mixed(arena.matrix(dtype, capacity.tokens, config.heads * config.head_width)) {
  int64_t columns = 0, latent_columns = 0, query_columns = 0, key_columns = 0, gate_columns = 0;
  for (const LayerEncoding& layer : encoding.layers) {
    const AttentionLayout layout(config, layer);
    columns = std::max(columns, layout.columns());
    latent_columns = std::max(latent_columns, layout.latents());
    query_columns = std::max(query_columns, layout.query_latent);
    key_columns = std::max(key_columns, layout.key_latent);
    gate_columns = std::max(gate_columns, gate_count(layer));
  }
  projections = arena.matrix(dtype, capacity.tokens, columns);
  if (latent_columns > 0) {
    latents = arena.view<float>(capacity.tokens, latent_columns);
    if (dtype != Dtype::f32) low_latents = arena.matrix(dtype, capacity.tokens, latent_columns);
    query_latent = arena.matrix(dtype, capacity.tokens, query_columns);
    key_latent = arena.matrix(dtype, capacity.tokens, key_columns);
  }
  if (gate_columns > 0) {
    gates = arena.matrix(dtype, capacity.tokens, gate_columns);
    prefix = arena.view<double>(capacity.tokens, config.heads);
  }
  int64_t inner = 0, numbers = 0, turned = 0, angles = 0;
  for (const LayerEncoding& layer : encoding.layers) {
    if (!layer.token_rotation) continue;
    const auto heads = static_cast<int64_t>(layer.token_rotation->heads.size());
    inner = std::max(inner, layer.token_rotation->inner);
    numbers = std::max(numbers, layer.token_rotation->numbers());
    turned = std::max(turned, heads);
    angles = std::max(angles, heads * layer.token_rotation->pairs);
  }
  if (turned > 0) {
    turn_halves = arena.matrix(dtype, capacity.tokens, 2 * inner);
    turn_inner = arena.matrix(dtype, capacity.tokens, inner);
    turn_z = arena.matrix(dtype, capacity.tokens, numbers);
    turn_gate = arena.matrix(dtype, capacity.tokens, turned);
    dangle = arena.view<float>(capacity.tokens * angles);
  }
  int64_t reflection_heads = 0, reflection_columns = 0;
  for (const LayerEncoding& layer : encoding.layers) {
    const TokenReflections* reflections = layer.dense == nullptr ? nullptr : layer.dense->reflections();
    if (reflections == nullptr) continue;
    reflection_heads = std::max(reflection_heads, static_cast<int64_t>(layer.dense->heads.size()));
    reflection_columns = std::max(reflection_columns, reflections->inner);
  }
  if (reflection_heads > 0) {
    reflection_inner = arena.matrix(dtype, capacity.tokens, reflection_columns);
    directions = arena.matrix(dtype, capacity.tokens, reflection_heads * config.head_width);
    strengths = arena.matrix(dtype, capacity.tokens, reflection_heads);
  }
  if (config.kv_source == KvSource::input) embedded = arena.view<float>(capacity.tokens, config.width);
  if (config.readout != Readout::every) features = arena.view<float>(capacity.sequences, config.width);
}

}  // namespace phasor
