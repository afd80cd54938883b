#pragma once
// The largest eigenvalue of the loss's Hessian: how sharply the loss bends where it bends up most, and so how large a
// step of plain gradient descent may be (2 / eigenvalue). By power iteration on products
//   H v = (g(w + e v) - g(w - e v)) / (2 e)
// of exact gradients g. Every number comes with what it may be off by:
// - `residual`: some eigenvalue of a matrix with these products lies within it of the Rayleigh quotient, whether or not
//   the iteration has converged;
// - `difference_error`: e is tried over six orders of magnitude, a quarter of the last each time, and of the quotients
//   v H v so found the one is taken that agrees best with both of its neighbours; this is the larger disagreement.
//   Large e are off by a share that falls with e^2, small ones by the rounding of fp32 gradients divided by e;
// - `product_error`: the same disagreement of the whole vectors H v.
// With relu the loss has kinks: a step that moves units across them measures the curvature of the loss averaged over
// that step, kinks included, and which ones it meets changes with e. They are most of both errors in large models.
// Second derivatives by formula (autograd) leave them out.
#include <cstdint>
#include <functional>
#include <vector>

#include "phasor/model/transformer.h"

namespace phasor {

// The gradient at these parameters.
using GradientAt = std::function<std::vector<double>(const std::vector<float>& parameters)>;

struct HessianOptions {
  int64_t max_iterations = 500;
  double tolerance = 1e-3;  // converged: residual <= tolerance * |eigenvalue|, or below what products are off by
  uint64_t seed = 0;        // of the first vector
};

struct HessianTop {
  double eigenvalue = 0.0;        // largest, not largest in modulus
  double residual = 0.0;          // |H v - eigenvalue v|, |v| = 1
  double difference_error = 0.0;  // of the eigenvalue, by differences in place of derivatives
  double product_error = 0.0;     // of H v, likewise
  double step = 0.0;              // e
  int64_t iterations = 0;
  int64_t gradients = 0;  // computed
  bool converged = false;
  // Where an eigenvalue below 0 has the largest modulus, the iteration meets it first.
  bool negative_first = false;
  double most_negative = 0.0;  // that one, where so
  std::vector<double> vector;  // of the eigenvalue
};

HessianTop hessian_top(const GradientAt& gradient, const std::vector<float>& parameters,
                       const HessianOptions& options = {});

// Of the mean loss over the scored targets of these batches, without dropout. The model must have been made for
// training and keeps its parameters.
HessianTop hessian_top(Transformer& model, const std::vector<Batch>& batches, const HessianOptions& options = {});

}  // namespace phasor
