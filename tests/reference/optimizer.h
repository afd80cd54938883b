#pragma once
// AdamW (Loshchilov and Hutter, 2019) with bias-corrected moments, and the norm that clips gradients.
#include <algorithm>

#include "reference/grid.h"
#include "reference/scalar.h"

namespace phasor::reference {

inline double gradient_norm(const Grid<double>& gradient) {
  double sum = 0.0;
  for (double g : gradient.data) sum += g * g;
  return std::sqrt(sum);
}

struct AdamWSettings {
  double learning_rate = 0.0;
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-8, weight_decay = 0.01;
  double max_norm = 0.0;  // 0: no clipping
  double norm = 0.0;
  uint32_t step = 1;
};

template <class S>
struct AdamWState {
  S parameter, first, second;
};

// Corrections and the clipping factor are scalars of the whole step, good to rounding of their fp32 value.
template <class S>
AdamWState<S> adamw(const AdamWSettings& in, const AdamWState<S>& before, const S& gradient) {
  using std::sqrt;
  const bool clips = in.max_norm > 0.0 && in.norm > in.max_norm;
  const S g = clips ? gradient * computed<S>(in.max_norm / in.norm) : gradient;
  AdamWState<S> after;
  after.first = S(in.beta1) * before.first + computed<S>(1.0 - in.beta1) * g;
  after.second = S(in.beta2) * before.second + computed<S>(1.0 - in.beta2) * (g * g);
  const S first = after.first / computed<S>(1.0 - std::pow(in.beta1, in.step));
  const S second = after.second / computed<S>(1.0 - std::pow(in.beta2, in.step));
  const S decayed = before.parameter * computed<S>(1.0 - in.learning_rate * in.weight_decay);
  after.parameter = decayed - S(in.learning_rate) * (first / (sqrt(second) + S(in.epsilon)));
  return after;
}

}  // namespace phasor::reference
