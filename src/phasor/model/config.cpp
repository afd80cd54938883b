#include "phasor/model/config.h"

#include <fmt/format.h>

#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"

namespace phasor {
namespace {

void check_at_least(const char* key, int64_t value, int64_t least) {
  if (value < least) fail_usage("{}: {} is out of range, at least {}", key, value, least);
}

// "4 or 8": the divisors of `whole` on both sides of a number that is none.
std::string divisors_around(int64_t whole, int64_t number) {
  if (number > whole) return fmt::format("{}", whole);
  int64_t below = number, above = number;
  while (whole % below != 0) --below;
  while (whole % above != 0) ++above;
  return fmt::format("{} or {}", below, above);
}

// What needs all logits of a head at once is for short sequences, and some of it for causal models.
void require_dense_possible(const ResolvedEncoding& encoding) {
  for (const LayerEncoding& layer : encoding.layers) {
    if (layer.dense == nullptr) continue;
    const DensePlace& dense = *layer.dense;
    if (encoding.shape.positions > kMostDenseTokens) {
      fail_usage(
          "encoding {}: '{}' needs all logits of a head at once and takes sequences of at most {} tokens; here "
          "the longest has {}",
          encoding.expression, dense.name, kMostDenseTokens, encoding.shape.positions);
    }
    if (dense.by_content() && !encoding.shape.causal) {
      fail_usage(
          "encoding {}: '{}' is defined by the tokens from a key up to the query, and not for keys behind the "
          "query; set model.causal=true",
          encoding.expression, dense.name);
    }
  }
}

}  // namespace

ModelConfig complete(ModelConfig config) {
  check_at_least("model.layers", config.layers, 1);
  check_at_least("model.width", config.width, 1);
  check_at_least("model.hidden", config.hidden, 1);
  check_at_least("model.heads", config.heads, 1);
  check_at_least("model.kv_heads", config.kv_heads, 0);
  check_at_least("model.head_width", config.head_width, 0);
  if (!(config.dropout >= 0.0 && config.dropout < 1.0)) {
    fail_usage("model.dropout: {} is out of range, at least 0 and below 1", config.dropout);
  }
  if (config.head_width == 0) {
    if (config.width % config.heads != 0) {
      fail_usage("model.heads: {} does not divide model.width={}; {} would, or set model.head_width", config.heads,
                 config.width, divisors_around(config.width, config.heads));
    }
    config.head_width = config.width / config.heads;
  }
  if (config.kv_heads == 0) config.kv_heads = config.heads;
  if (config.heads % config.kv_heads != 0) {
    fail_usage("model.kv_heads: {} does not divide model.heads={}; {} would", config.kv_heads, config.heads,
               divisors_around(config.heads, config.kv_heads));
  }
  return config;
}

ResolvedEncoding resolve_encoding(const ModelConfig& config, bool factors) {
  ResolvedEncoding encoding = resolve(parse_encoding(config.encoding), {.layers = config.layers,
                                                                        .heads = config.heads,
                                                                        .head_width = config.head_width,
                                                                        .width = config.width,
                                                                        .positions = config.max_length,
                                                                        .causal = config.causal,
                                                                        .grid = config.grid,
                                                                        .vocabulary = config.vocabulary,
                                                                        .words = config.words,
                                                                        .trained = config.trained_length,
                                                                        .factors = factors});
  const bool decoupled = std::any_of(encoding.layers.begin(), encoding.layers.end(),
                                     [](const LayerEncoding& layer) { return layer.decoupled.has_value(); });
  if (decoupled && config.kv_source == KvSource::input) {
    fail_usage(
        "protocol.kv_source=input: the latents of mla are made from one place, the layer's hidden state; use "
        "protocol.kv_source=hidden");
  }
  require_dense_possible(encoding);
  return encoding;
}

}  // namespace phasor
