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
  // The same in two parts: numbers are brought to the device; then come ops alone, for Backend::repeat. The norm is
  // left in norms[step % its size].
  void load(int64_t step, double learning_rate);
  void run(Transformer& model, const View<float, 1>& norms);

  View<float, 1> first_moment() const { return first_moment_; }
  View<float, 1> second_moment() const { return second_moment_; }

 private:
  // Of one update, as it lies in device memory.
  struct Numbers {
    float learning_rate = 0.0f;
    uint32_t step = 0;
  };

  Backend& backend_;
  TrainConfig config_;
  Arena arena_;
  View<float, 1> first_moment_, second_moment_, norm_;
  View<Numbers, 1> numbers_;
};

}  // namespace phasor
