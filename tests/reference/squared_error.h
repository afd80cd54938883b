#pragma once
// value[r] = centre + unit (x weight^T + bias), loss[r] = ((value - target) / unit)^2, total = sum_r target_weight[r]
// loss[r].
#include "reference/linear.h"

namespace phasor::reference {

struct Scale {
  double centre = 0.0, unit = 1.0;
};

template <class S>
struct SquaredError {
  Grid<S> value;  // [rows, 1]
  Grid<S> error;  // [rows, 1], in units; 0 where the row's weight is 0
  Grid<S> loss;   // [rows, 1]
};

template <class S>
SquaredError<S> squared_error(const Grid<S>& x, const Grid<S>& weight, const Grid<S>& bias,
                              const std::vector<int32_t>& targets, const Grid<double>& target_weight,
                              const Scale& scale) {
  SquaredError<S> result{product(x, weight, bias), Grid<S>(x.rows, 1), Grid<S>(x.rows, 1)};
  for (int64_t r = 0; r < x.rows; ++r) {
    S& value = result.value(r, 0);
    value = S(scale.centre) + S(scale.unit) * value;
    if (target_weight(r, 0) == 0.0) continue;
    result.error(r, 0) = (value - S(static_cast<double>(targets[static_cast<size_t>(r)]))) / S(scale.unit);
    result.loss(r, 0) = result.error(r, 0) * result.error(r, 0);
  }
  return result;
}

// The gradient of the total loss by x weight^T + bias: 2 target_weight error.
template <class S>
Grid<S> output_gradient(const SquaredError<S>& forward, const Grid<double>& target_weight) {
  Grid<S> dy(forward.error.rows, 1);
  for (int64_t r = 0; r < dy.rows; ++r) dy(r, 0) = operand(S(2.0 * target_weight(r, 0)) * forward.error(r, 0));
  return dy;
}

}  // namespace phasor::reference
