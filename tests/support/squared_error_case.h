#pragma once
// Cases of the readout of a number with its squared error.
#include "reference/squared_error.h"
#include "support/loss_readout.h"

namespace phasor::testing_support {

struct SquaredErrorCase {
  const char* name;
  int64_t rows, capacity, width;
  bool bias = true;
  reference::Scale scale = {};

  int32_t value(double units) const { return static_cast<int32_t>(scale.centre + units * scale.unit); }
};

inline void PrintTo(const SquaredErrorCase& c, std::ostream* out) { *out << c.name; }

struct SquaredErrorData : LossReadoutData {
  SquaredErrorCase shape;

  SquaredErrorData(const SquaredErrorCase& given, Dtype dtype, uint64_t seed)
      : LossReadoutData({.rows = given.rows,
                         .capacity = given.capacity,
                         .width = given.width,
                         .outputs = 1,
                         .bias = given.bias,
                         .targets = {given.value(-2.0), given.value(2.0)}},
                        dtype, seed),
        shape(given) {}

  template <class S>
  reference::SquaredError<S> forward() const {
    using reference::lift;
    return reference::squared_error(lift<S>(x), lift<S>(weight), lift<S>(bias), targets, target_weight, shape.scale);
  }

  template <class S>
  Grid<S> dy() const {
    return reference::output_gradient(forward<S>(), target_weight);
  }
};

using SquaredErrorOutputs = LossReadoutOutputs;

inline SquaredErrorOutputs run(Backend& backend, const SquaredErrorData& data, bool gradients, Dtype dx_dtype) {
  LinearSquaredError op;
  op.centre = static_cast<float>(data.shape.scale.centre);
  op.unit = static_cast<float>(data.shape.scale.unit);
  return run_loss_readout(backend, data, gradients, dx_dtype, op);
}
inline SquaredErrorOutputs run(Backend& backend, const SquaredErrorData& data, bool gradients) {
  return run(backend, data, gradients, data.operands);
}

}  // namespace phasor::testing_support
