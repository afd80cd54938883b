#pragma once
// A small model with parameters and a ragged batch, ready to run and to differentiate.
#include <ostream>
#include <string>
#include <vector>

#include "phasor/model/transformer.h"
#include "phasor/random/distributions.h"

namespace phasor::testing_support {

struct ModelCase {
  std::string name;
  ModelConfig config;
};

template <class Change>
ModelCase model_case(const std::string& name, const ModelConfig& base, const Change& change) {
  ModelCase result{name, base};
  change(result.config);
  return result;
}

inline void PrintTo(const ModelCase& model_case, std::ostream* out) { *out << model_case.name; }

// Sizes that are no multiples of a vector's lanes; different ones wherever a mix-up could hide.
inline ModelConfig small_model(const std::string& encoding) {
  ModelConfig config;
  config.layers = 2;
  config.width = 12;
  config.hidden = 20;
  config.heads = 3;
  config.encoding = encoding;
  config.vocabulary = 9;
  config.classes = 5;
  config.max_length = 10;
  return config;
}

// Words, targets and places drawn from the seed. With Readout::every a third of the tokens is not scored.
inline Batch draw_batch(const ModelConfig& config, const std::vector<int32_t>& lengths, uint64_t seed) {
  Draws draws({.seed = seed, .purpose = Purpose::test, .site = 1});
  const auto below = [&](int64_t bound) { return static_cast<int32_t>(draws.below(static_cast<uint32_t>(bound))); };
  Batch batch;
  for (const int32_t length : lengths) {
    std::vector<int32_t> tokens, targets;
    for (int32_t i = 0; i < length; ++i) tokens.push_back(below(config.vocabulary));
    const int32_t count = config.readout == Readout::every ? length : 1;
    for (int32_t i = 0; i < count; ++i) {
      const bool scored = config.readout != Readout::every || below(3) > 0;
      targets.push_back(scored ? below(config.classes) : kNotScored);
    }
    // From the start or from the end.
    const int32_t place = below(2) == 0 ? below(length) : -1 - below(length);
    batch.append(tokens.data(), length, targets.data(), count, place);
  }
  batch.finish();
  return batch;
}

// Embeddings N(0,1), weights N(0,0.3^2), the rest N(0,0.1^2) around 1 (norm weights) or 0.
inline std::vector<float> draw_parameters(const ParameterLayout& layout, uint64_t seed) {
  std::vector<float> values(static_cast<size_t>(layout.size()));
  for (size_t e = 0; e < layout.entries().size(); ++e) {
    const Parameter& entry = layout.entries()[e];
    const RandomStream stream{.seed = seed, .purpose = Purpose::test, .site = 2, .step = static_cast<uint32_t>(e)};
    const bool table = entry.name == "embedding.weight";
    // An encoding's own numbers may need to be positive, or frequencies: near where they start.
    if (entry.name.find("encoding.") != std::string::npos && entry.initial.kind != InitialValues::Kind::normal) {
      const std::vector<double> start = draw(entry.initial, entry.size, entry.name, seed);
      for (int64_t i = 0; i < entry.size; ++i) {
        const double factor = 1.0 + 0.05 * normal(stream, static_cast<uint64_t>(i));
        values[static_cast<size_t>(entry.offset + i)] = static_cast<float>(start[static_cast<size_t>(i)] * factor);
      }
      continue;
    }
    const double deviation = table ? 1.0 : entry.shape.size() > 1 ? 0.3 : 0.1;
    const double centre = entry.name.find("norm.weight") != std::string::npos ? 1.0 : 0.0;
    for (int64_t i = 0; i < entry.size; ++i) {
      values[static_cast<size_t>(entry.offset + i)] =
          static_cast<float>(centre + deviation * normal(stream, static_cast<uint64_t>(i)));
    }
  }
  return values;
}

struct ModelData {
  ModelConfig config;
  ResolvedEncoding encoding;
  ParameterLayout layout;
  std::vector<float> parameters;
  Batch batch;

  // Without parameters and batch.
  explicit ModelData(const ModelConfig& incomplete)
      : config(complete(incomplete)), encoding(resolve_encoding(config)), layout(config, encoding) {}
  // Everything drawn from the seed.
  ModelData(const ModelConfig& incomplete, const std::vector<int32_t>& lengths, uint64_t seed) : ModelData(incomplete) {
    parameters = draw_parameters(layout, seed);
    batch = draw_batch(config, lengths, seed);
  }
};

inline constexpr uint64_t kDropoutSeed = 77;
inline constexpr uint32_t kDropoutStep = 5;
inline constexpr uint64_t kPositionSeed = 78;

// With room for more than the batch needs, so that capacities and counts differ.
inline TransformerOptions options_for(const Batch& batch, Dtype precision) {
  return {.capacity = {.tokens = batch.token_count() + 5, .sequences = batch.sequence_count() + 2},
          .precision = precision,
          .dropout_seed = kDropoutSeed,
          .position_seed = kPositionSeed};
}

// What a model makes of a batch; numbers in double whatever they were computed in.
struct ModelNumbers {
  std::vector<double> logits;     // [targets, classes]
  std::vector<double> losses;     // [targets], 0 where not scored
  double loss = 0.0;              // mean over scored targets
  std::vector<double> gradients;  // [parameters] of the mean loss
};

// One training step's forward and backward pass by the engine.
inline ModelNumbers run_model(Backend& backend, const ModelData& data, Dtype precision) {
  Transformer model(backend, data.config, data.encoding, options_for(data.batch, precision));
  model.load_parameters(data.parameters);
  const BatchResult result = model.forward_backward(data.batch, kDropoutStep);
  const size_t targets = data.batch.targets.size();
  std::vector<float> losses(targets), gradients(data.parameters.size());
  backend.copy_out(losses.data(), model.activations().loss.data(), targets * sizeof(float));
  backend.copy_out(gradients.data(), model.gradients().data(), gradients.size() * sizeof(float));
  const std::vector<float> logits = model.class_logits(static_cast<int64_t>(targets));
  return {.logits = {logits.begin(), logits.end()},
          .losses = {losses.begin(), losses.end()},
          .loss = result.loss / static_cast<double>(result.scored),
          .gradients = {gradients.begin(), gradients.end()}};
}

}  // namespace phasor::testing_support
