#pragma once
// Models built by hand, of which it is known where position lives. Words are one-hot in the first channels of the
// stream. A head that attends to the token before copies its word to the next channels, where the readout looks for the
// answer.
#include <algorithm>
#include <cmath>

#include "ablation/sweep_case.h"

namespace phasor::testing_support {

inline constexpr int64_t kWords = 8;

struct PlantedModel {
  ModelData data;
  std::unique_ptr<Transformer> model;
  Dataset samples;

  explicit PlantedModel(const std::string& encoding) : data(planted_config(encoding)) {
    data.parameters.assign(static_cast<size_t>(data.layout.size()), 0.0f);
    for (const Parameter& entry : data.layout.entries()) {
      if (entry.name.find("norm.weight") == std::string::npos) continue;
      std::fill_n(data.parameters.begin() + entry.offset, entry.size, 1.0f);
    }
    for (int64_t w = 0; w < kWords; ++w) at(data.layout.embedding + w * data.config.width + w) = 1.0f;
  }

  // Head `head` of the first layer writes the words it attends to, times `gain`, from channel `to` on.
  void copy_words(int64_t head, int64_t to, float gain) {
    const LayerSlots& slots = data.layout.layers[0];
    const int64_t width = data.config.width, heads = data.config.heads, head_width = width / heads;
    for (int64_t c = 0; c < head_width; ++c) {
      const int64_t value_row = 2 * width + head * head_width + c;
      at(slots.projections.weight + value_row * width + c) = 1.0f;
      at(slots.output.weight + (to + c) * width + head * head_width + c) = gain;
    }
  }

  // Class c is answered by channel first + c.
  void read_from(int64_t first, float gain) {
    for (int64_t c = 0; c < kWords; ++c) at(data.layout.readout.weight + c * data.config.width + first + c) = gain;
  }

  // Constant queries and keys for which rotation by one place fits best: q = R k.
  void attend_one_back(int64_t head, double length, const std::vector<double>& frequencies) {
    const LinearSlot& slot = data.layout.layers[0].projections;
    const int64_t width = data.config.width, head_width = width / data.config.heads;
    for (size_t m = 0; m < frequencies.size(); ++m) {
      const int64_t channel = head * head_width + 2 * static_cast<int64_t>(m);
      at(slot.bias + channel) = static_cast<float>(length * std::cos(frequencies[m]));
      at(slot.bias + channel + 1) = static_cast<float>(-length * std::sin(frequencies[m]));
      at(slot.bias + width + channel) = static_cast<float>(length);
    }
  }

  // target: what the answer is, counted from the end: 0 for the last word, 1 for the one before.
  ScoreTable ablate(int64_t target, int64_t count = 400) {
    Draws draws({.seed = 11, .purpose = Purpose::test});
    for (int64_t s = 0; s < count; ++s) {
      Sample sample;
      const uint32_t length = 4 + draws.below(9);
      for (uint32_t i = 0; i < length; ++i) sample.tokens.push_back(static_cast<int32_t>(draws.below(kWords)));
      sample.targets = {sample.tokens[length - 1 - static_cast<size_t>(target)]};
      samples.append(sample);
    }
    const TransformerOptions options{.capacity = {.tokens = 12 * 50, .sequences = 50}, .training = false};
    model = std::make_unique<Transformer>(test_backend(), data.config, data.encoding, options);
    model->load_parameters(data.parameters);
    HeadSweep sweep(*model, samples, {.samples = count, .batch = 50});
    sweep.run();
    return sweep.table();
  }

 private:
  static ModelConfig planted_config(const std::string& encoding) {
    ModelConfig config;
    config.layers = 2;
    config.width = 32;
    config.hidden = 8;
    config.heads = 4;
    config.encoding = encoding;
    config.vocabulary = kWords;
    config.classes = kWords;
    config.max_length = 12;
    config.readout = Readout::token;
    return config;
  }

  float& at(int64_t offset) { return data.parameters[static_cast<size_t>(offset)]; }
};

}  // namespace phasor::testing_support
