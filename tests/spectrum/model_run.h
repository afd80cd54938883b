#pragma once
// A small model that has just run over a batch, for tests of what is read out of it.
#include <memory>

#include "model/encoding_cases.h"
#include "model/thread_guard.h"
#include "phasor/spectrum/layer_logits.h"
#include "phasor/spectrum/position_means.h"
#include "support/backend.h"

namespace phasor::testing_support {

struct ModelRun {
  ModelData data;
  Transformer model;

  ModelRun(const ModelConfig& config, const std::vector<int32_t>& lengths, Dtype precision = Dtype::f32)
      : data(config, lengths, 61),
        model(test_backend(), data.config, data.encoding, options_for(data.batch, precision)) {
    model.load_parameters(data.parameters);
    model.forward(data.batch);
  }

  int64_t layers() const { return data.config.layers; }
  LayerLogits logits(int64_t layer) { return {model, data.batch, layer}; }
};

// Every encoding as it is and, where that is another model, causal; heads that share keys.
inline std::vector<ModelCase> logit_cases() {
  std::vector<ModelCase> all = encoding_cases();
  const size_t count = all.size();
  for (size_t i = 0; i < count; ++i) {
    if (all[i].config.causal) continue;
    all.push_back(all[i]);
    all.back().name += "_seen_backwards";
    all.back().config.causal = true;
  }
  ModelConfig grouped = small_model("learned+alibi+rope");
  grouped.heads = 6;
  grouped.head_width = 4;
  grouped.kv_heads = 2;
  all.push_back({"grouped", grouped});
  return all;
}

inline const std::vector<int32_t> kRaggedLengths = {10, 7, 3, 10, 1, 8};

}  // namespace phasor::testing_support
