#include "phasor/model/parameters.h"

#include <cmath>
#include <numeric>

#include "phasor/base/error.h"
#include "phasor/random/distributions.h"

namespace phasor {
namespace {

using Kind = InitialValues::Kind;

// FNV-1a. Entries draw by name, so that models of different encodings start from equal common weights.
uint32_t name_site(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

// Weights and biases of a linear layer share one rule, as in PyTorch's nn.Linear.
InitialValues linear_initial(const ModelConfig& config, int64_t in, bool bias) {
  if (config.initialization == Initialization::torch) return {Kind::uniform, 1.0 / std::sqrt(static_cast<double>(in))};
  if (bias) return {Kind::constant, 0.0};
  return {Kind::normal, config.initialization_deviation};
}

}  // namespace

ParameterLayout::ParameterLayout(const ModelConfig& config, const ResolvedEncoding& encoding) {
  const bool torch = config.initialization == Initialization::torch;
  embedding = add("embedding.weight", {config.vocabulary, config.width},
                  {Kind::normal, torch ? 1.0 : config.initialization_deviation});
  if (encoding.learned_input) {
    const LearnedTable& table = *encoding.learned_input;
    learned_input = add(table.parameter, {table.rows, table.columns}, {Kind::normal, table.deviation});
  }
  for (int64_t l = 0; l < config.layers; ++l) {
    const std::string name = fmt::format("layers.{}.", l);
    LayerSlots slots;
    slots.attention_norm = add_norm(name + "attention_norm", config);
    slots.projections = add_projections(name + "attention.", config);
    slots.output = add_linear(name + "attention.output", config.width, config.heads * config.head_width, config);
    slots.ffn_norm = add_norm(name + "ffn_norm", config);
    slots.up = add_linear(name + "ffn.up", config.hidden, config.width, config);
    slots.down = add_linear(name + "ffn.down", config.width, config.hidden, config);
    layers.push_back(slots);
  }
  if (config.final_norm) final_norm = add_norm("final_norm", config);
  readout = add_linear("readout", config.classes, config.width, config);
}

int64_t ParameterLayout::add(std::string name, std::vector<int64_t> shape, InitialValues initial) {
  const int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  const int64_t offset = size_;
  entries_.push_back({std::move(name), std::move(shape), initial, offset, count});
  size_ += count;
  return offset;
}

NormSlot ParameterLayout::add_norm(const std::string& name, const ModelConfig& config) {
  NormSlot slot;
  slot.weight = add(name + ".weight", {config.width}, {Kind::constant, 1.0});
  if (config.norm == NormKind::layer) slot.bias = add(name + ".bias", {config.width}, {Kind::constant, 0.0});
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
  add(name + "key.weight", {key, in}, linear_initial(config, in, false));
  add(name + "value.weight", {key, in}, linear_initial(config, in, false));
  const int64_t bias = add(name + "query.bias", {query}, linear_initial(config, in, true));
  add(name + "key.bias", {key}, linear_initial(config, in, true));
  add(name + "value.bias", {key}, linear_initial(config, in, true));
  return {weight, bias, query + 2 * key, in};
}

const Parameter& ParameterLayout::find(std::string_view name) const {
  for (const Parameter& entry : entries_) {
    if (entry.name == name) return entry;
  }
  fail("the model has no parameter '{}'", name);
}

std::vector<float> ParameterLayout::initial_values(uint64_t seed) const {
  std::vector<float> values(static_cast<size_t>(size_));
  for (const Parameter& entry : entries_) {
    const RandomStream stream{.seed = seed, .purpose = Purpose::initialization, .site = name_site(entry.name)};
    for (int64_t i = 0; i < entry.size; ++i) {
      const auto index = static_cast<uint64_t>(i);
      double value = entry.initial.size;
      if (entry.initial.kind == Kind::normal) value *= normal(stream, index);
      if (entry.initial.kind == Kind::uniform) value *= 2.0 * uniform(stream, index) - 1.0;
      values[static_cast<size_t>(entry.offset + i)] = static_cast<float>(value);
    }
  }
  return values;
}

}  // namespace phasor
