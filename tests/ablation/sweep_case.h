#pragma once
// A small model with drawn parameters and a set of samples to ablate it on.
#include <memory>

#include "model/model_case.h"
#include "phasor/ablation/head_sweep.h"
#include "support/backend.h"

namespace phasor::testing_support {

struct SweepCase {
  ModelData data;
  Dataset samples;
  std::unique_ptr<Transformer> model;

  explicit SweepCase(const ModelConfig& config, int64_t count = 13, Dtype precision = Dtype::f32, uint64_t seed = 3)
      : data(config) {
    Draws draws({.seed = seed, .purpose = Purpose::test, .site = 7});
    const auto below = [&](int64_t bound) { return static_cast<int32_t>(draws.below(static_cast<uint32_t>(bound))); };
    for (int64_t s = 0; s < count; ++s) {
      Sample sample;
      const int64_t length = 3 + below(data.config.max_length - 2);
      for (int64_t i = 0; i < length; ++i) sample.tokens.push_back(below(data.config.vocabulary));
      const int64_t targets = data.config.readout == Readout::every ? length : 1;
      for (int64_t i = 0; i < targets; ++i) sample.targets.push_back(below(data.config.classes));
      samples.append(sample);
    }
    data.parameters = draw_parameters(data.layout, seed);
    const TransformerOptions options{.capacity = {.tokens = data.config.max_length * count, .sequences = count},
                                     .precision = precision,
                                     .training = false,
                                     .position_seed = kPositionSeed};
    model = std::make_unique<Transformer>(test_backend(), data.config, data.encoding, options);
    model->load_parameters(data.parameters);
  }

  // Where weight (row, column) of a layer's W_O lies.
  int64_t output_weight(int64_t layer, int64_t row, int64_t column) const {
    const LinearSlot& slot = data.layout.layers[static_cast<size_t>(layer)].output;
    return slot.weight + row * slot.in + column;
  }
  // Sets every weight of W_O that reads this head.
  void set_output_weights(int64_t layer, int64_t head, float value) {
    const LinearSlot& slot = data.layout.layers[static_cast<size_t>(layer)].output;
    const int64_t width = slot.in / data.config.heads;
    for (int64_t r = 0; r < slot.out; ++r) {
      for (int64_t c = head * width; c < (head + 1) * width; ++c) {
        data.parameters[static_cast<size_t>(output_weight(layer, r, c))] = value;
      }
    }
    model->load_parameters(data.parameters);
  }

  ScoreTable sweep(const SweepOptions& options) const {
    HeadSweep sweep(*model, samples, options);
    sweep.run();
    return sweep.table();
  }
  // What all samples score with the model as it is.
  SampleScores intact() const {
    SampleScores scores(samples.size());
    Batch batch;
    for (int64_t i = 0; i < samples.size(); ++i) samples.append_to(batch, i);
    batch.finish();
    model->evaluate(batch);
    add_scores(*model, batch, 0, 1.0, scores);
    return scores;
  }
};

}  // namespace phasor::testing_support
