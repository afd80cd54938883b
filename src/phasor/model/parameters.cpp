#include "phasor/model/parameters.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "phasor/base/error.h"

namespace phasor {
namespace {

// In floats. One learned number alone would else move all weights behind it off the places that tensor cores and vector
// loads want, in bf16 too.
constexpr int64_t kEntryAlignment = 64;

using Kind = InitialValues::Kind;

// Weights and biases of a linear layer share one rule, as in PyTorch's nn.Linear.
InitialValues linear_initial(const ModelConfig& config, int64_t in, bool bias) {
  if (config.initialization == Initialization::torch)
    return {Kind::uniform, 0.0, 1.0 / std::sqrt(static_cast<double>(in))};
  if (bias) return {Kind::constant};
  return {Kind::normal, 0.0, config.initialization_deviation};
}

}  // namespace

ParameterLayout::ParameterLayout(const ModelConfig& config, const ResolvedEncoding& encoding) {
  const bool torch = config.initialization == Initialization::torch;
  embedding = add("embedding.weight", {config.vocabulary, encoding.embedding_width},
                  {Kind::normal, 0.0, torch ? 1.0 : config.initialization_deviation});
  first_encoding_ = static_cast<int64_t>(entries_.size());
  for (const LearnedParameter& learned : encoding.parameters) {
    Parameter& entry = add_entry(learned.name, learned.shape, learned.initial, Start::aligned);
    entry.least = learned.least;
    entry.most = learned.most;
  }
  for (int64_t l = 0; l < config.layers; ++l) {
    const std::string name = fmt::format("layers.{}.", l);
    LayerSlots slots;
    slots.attention_norm = add_norm(name + "attention_norm", config);
    const std::optional<DecoupledPath>& path = encoding.layers[static_cast<size_t>(l)].decoupled;
    if (path) {
      slots.decoupled = add_decoupled(name + "attention.", config, *path);
    } else {
      slots.projections = add_projections(name + "attention.", config);
      const int64_t queries = config.heads * config.head_width;
      slots.query = slots.projections.row_range(0, queries);
      slots.key_value = slots.projections.row_range(queries, slots.projections.out - queries);
    }
    slots.output = add_output(name + "attention.output", config, !path.has_value());
    slots.ffn_norm = add_norm(name + "ffn_norm", config);
    slots.up = add_linear(name + "ffn.up", config.hidden, config.width, config);
    slots.down = add_linear(name + "ffn.down", config.width, config.hidden, config);
    layers.push_back(slots);
  }
  if (config.final_norm) final_norm = add_norm("final_norm", config);
  readout = add_linear("readout", outputs(config), config.width, config);
}

Parameter& ParameterLayout::add_entry(std::string name, std::vector<int64_t> shape, InitialValues initial,
                                      Start start) {
  Parameter entry;
  entry.name = std::move(name);
  entry.size = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  entry.shape = std::move(shape);
  entry.initial = std::move(initial);
  if (start == Start::aligned) size_ = (size_ + kEntryAlignment - 1) / kEntryAlignment * kEntryAlignment;
  entry.offset = size_;
  size_ += entry.size;
  count_ += entry.size;
  entries_.push_back(std::move(entry));
  return entries_.back();
}

int64_t ParameterLayout::add(std::string name, std::vector<int64_t> shape, InitialValues initial, Start start) {
  return add_entry(std::move(name), std::move(shape), std::move(initial), start).offset;
}

NormSlot ParameterLayout::add_norm(const std::string& name, const ModelConfig& config) {
  NormSlot slot;
  slot.weight = add(name + ".weight", {config.width}, {Kind::constant, 1.0});
  if (config.norm == NormKind::layer) slot.bias = add(name + ".bias", {config.width}, {Kind::constant});
  return slot;
}

LinearSlot ParameterLayout::add_linear(const std::string& name, int64_t out, int64_t in, const ModelConfig& config) {
  const int64_t weight = add(name + ".weight", {out, in}, linear_initial(config, in, false));
  return {weight, add(name + ".bias", {out}, linear_initial(config, in, true)), out, in};
}

LinearSlot ParameterLayout::add_projections(const std::string& name, const ModelConfig& config) {
  const int64_t in = config.width;
  const int64_t query = config.heads * config.head_width;
  const int64_t key = config.kv_heads * config.head_width;
  const int64_t weight = add(name + "query.weight", {query, in}, linear_initial(config, in, false));
  add(name + "key.weight", {key, in}, linear_initial(config, in, false), Start::behind_the_last);
  add(name + "value.weight", {key, in}, linear_initial(config, in, false), Start::behind_the_last);
  const int64_t bias = add(name + "query.bias", {query}, linear_initial(config, in, true));
  add(name + "key.bias", {key}, linear_initial(config, in, true), Start::behind_the_last);
  add(name + "value.bias", {key}, linear_initial(config, in, true), Start::behind_the_last);
  return {weight, bias, query + 2 * key, in};
}

LinearSlot ParameterLayout::add_output(const std::string& name, const ModelConfig& config, bool bias) {
  const int64_t in = config.heads * config.head_width;
  if (bias) return add_linear(name, config.width, in, config);
  return {.weight = add(name + ".weight", {config.width, in}, linear_initial(config, in, false)),
          .out = config.width,
          .in = in};
}

// Without biases, as in DeepSeek-V2 and V3 (nor has the output one). A head's rows of query_up are its own channels,
// then its rotary ones.
DecoupledSlots ParameterLayout::add_decoupled(const std::string& name, const ModelConfig& config,
                                              const DecoupledPath& path) {
  const auto weight = [&](const char* part, int64_t out, int64_t in, Start start = Start::aligned) {
    return add(name + part + ".weight", {out, in}, linear_initial(config, in, false), start);
  };
  const auto norm = [&](const char* part, int64_t width) {
    NormSlot slot;
    if (path.norm) slot.weight = add(name + part + ".weight", {width}, {Kind::constant, 1.0});
    return slot;
  };
  const int64_t heads = config.heads * config.head_width;
  const int64_t own_rotary = path.shared_query ? 0 : config.heads * path.rotary;
  const int64_t shared_rotary = path.shared_query ? path.rotary : 0;
  DecoupledSlots slots;
  slots.down = {.weight = weight("query_down", path.query_latent, config.width),
                .out = path.query_latent + path.key_latent + path.rotary,
                .in = config.width};
  weight("key_value_down", path.key_latent, config.width, Start::behind_the_last);
  if (path.rotary > 0) weight("key_rotary", path.rotary, config.width, Start::behind_the_last);
  slots.query_norm = norm("query_norm", path.query_latent);
  slots.key_norm = norm("key_value_norm", path.key_latent);
  slots.query_up = {.weight = weight("query_up", heads + own_rotary, path.query_latent),
                    .out = heads + own_rotary + shared_rotary,
                    .in = path.query_latent};
  if (shared_rotary > 0) weight("query_rotary", shared_rotary, path.query_latent, Start::behind_the_last);
  slots.key_value_up = {.weight = weight("key_up", heads, path.key_latent), .out = 2 * heads, .in = path.key_latent};
  weight("value_up", heads, path.key_latent, Start::behind_the_last);
  return slots;
}

const Parameter& ParameterLayout::find(std::string_view name) const {
  for (const Parameter& entry : entries_) {
    if (entry.name == name) return entry;
  }
  fail("the model has no parameter '{}'", name);
}

const Parameter& ParameterLayout::encoding_entry(int64_t parameter) const {
  return entries_[static_cast<size_t>(first_encoding_ + parameter)];
}

std::vector<float> ParameterLayout::initial_values(uint64_t seed) const {
  std::vector<float> values(static_cast<size_t>(size_));
  for (const Parameter& entry : entries_) {
    const std::vector<double> drawn = draw(entry.initial, entry.size, entry.name, seed);
    std::transform(drawn.begin(), drawn.end(), values.begin() + entry.offset,
                   [](double value) { return static_cast<float>(value); });
  }
  return values;
}

}  // namespace phasor
