#pragma once
// AdamW over the flat parameter array, with its moments.
#include "phasor/engine/arena.h"
#include "phasor/model/transformer.h"
#include "phasor/run/config.h"

namespace phasor {

class Optimizer {
 public:
  Optimizer(Backend& backend, const Transformer& model, const TrainConfig& config);

  // One update with model.gradients(); `step` counts from 1. Returns the norm of the gradient before clipping.
  double update(Transformer& model, int64_t step, double learning_rate);

  View<float, 1> first_moment() const { return first_moment_; }
  View<float, 1> second_moment() const { return second_moment_; }

 private:
  Backend& backend_;
  TrainConfig config_;
  Arena arena_;
  View<float, 1> first_moment_, second_moment_;
  View<float, 1> learning_rate_, norm_;
  View<uint32_t, 1> step_;
};

}  // namespace phasor
