#pragma once
// Cases of the linear readout with cross-entropy.
#include "reference/cross_entropy.h"
#include "support/loss_readout.h"

namespace phasor::testing_support {

struct CrossEntropyCase {
  const char* name;
  int64_t rows, capacity, width, classes;
  bool bias = true;
  double deviation = 1.0;  // of the logits, about
};

inline void PrintTo(const CrossEntropyCase& c, std::ostream* out) { *out << c.name; }

struct CrossEntropyData : LossReadoutData {
  CrossEntropyCase shape;

  CrossEntropyData(const CrossEntropyCase& given, Dtype dtype, uint64_t seed)
      : LossReadoutData({.rows = given.rows,
                         .capacity = given.capacity,
                         .width = given.width,
                         .outputs = given.classes,
                         .bias = given.bias,
                         .deviation = given.deviation,
                         .targets = {0, static_cast<int32_t>(given.classes) - 1}},
                        dtype, seed),
        shape(given) {}

  template <class S>
  reference::CrossEntropy<S> forward() const {
    using reference::lift;
    return reference::cross_entropy(lift<S>(x), lift<S>(weight), lift<S>(bias), targets, target_weight);
  }

  template <class S>
  Grid<S> dlogits() const {
    return reference::logit_gradient(forward<S>(), targets, target_weight);
  }
};

using CrossEntropyOutputs = LossReadoutOutputs;

inline CrossEntropyOutputs run(Backend& backend, const CrossEntropyData& data, bool gradients, Dtype dx_dtype) {
  return run_loss_readout<LinearCrossEntropy>(backend, data, gradients, dx_dtype);
}
inline CrossEntropyOutputs run(Backend& backend, const CrossEntropyData& data, bool gradients) {
  return run(backend, data, gradients, data.operands);
}

}  // namespace phasor::testing_support
