#pragma once
// loss[r] = -log softmax(x weight^T + bias)[target[r]], total = sum_r target_weight[r] loss[r].
#include <algorithm>

#include "reference/linear.h"

namespace phasor::reference {

template <class S>
struct CrossEntropy {
  Grid<S> logits;         // [rows, classes]
  Grid<S> loss;           // [rows, 1]; 0 where the row's weight is 0
  Grid<S> probabilities;  // [rows, classes]
};

template <class S>
CrossEntropy<S> cross_entropy(const Grid<S>& x, const Grid<S>& weight, const Grid<S>& bias,
                              const std::vector<int32_t>& targets, const Grid<double>& target_weight) {
  using std::exp;
  using std::log;
  CrossEntropy<S> result{product(x, weight, bias), Grid<S>(x.rows, 1), Grid<S>(x.rows, weight.rows)};
  for (int64_t r = 0; r < x.rows; ++r) {
    double largest = value_of(result.logits(r, 0));
    for (int64_t c = 1; c < weight.rows; ++c) largest = std::max(largest, value_of(result.logits(r, c)));
    Sum<S> sum;
    for (int64_t c = 0; c < weight.rows; ++c) {
      result.probabilities(r, c) = exp(result.logits(r, c) - S(largest));
      sum.add(result.probabilities(r, c));
    }
    for (int64_t c = 0; c < weight.rows; ++c) result.probabilities(r, c) = result.probabilities(r, c) / sum.total();
    if (target_weight(r, 0) == 0.0) continue;
    result.loss(r, 0) = (S(largest) + log(sum.total())) - result.logits(r, targets[static_cast<size_t>(r)]);
  }
  return result;
}

// The gradient of the total loss by logits: target_weight * (softmax - [class is target]).
template <class S>
Grid<S> logit_gradient(const CrossEntropy<S>& forward, const std::vector<int32_t>& targets,
                       const Grid<double>& target_weight) {
  Grid<S> dlogits(forward.logits.rows, forward.logits.columns);
  for (int64_t r = 0; r < dlogits.rows; ++r) {
    if (target_weight(r, 0) == 0.0) continue;
    for (int64_t c = 0; c < dlogits.columns; ++c) {
      S p = forward.probabilities(r, c);
      if (c == targets[static_cast<size_t>(r)]) p -= S(1.0);
      dlogits(r, c) = operand(S(target_weight(r, 0)) * p);
    }
  }
  return dlogits;
}

}  // namespace phasor::reference
