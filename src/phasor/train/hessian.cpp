#include "phasor/train/hessian.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/base/error.h"
#include "phasor/random/distributions.h"

namespace phasor {
namespace {

constexpr uint32_t kStartSite = 0x4e55;  // draws of no other use
constexpr int64_t kWarmup = 8;           // iterations before the step is chosen: random vectors hardly bend the loss
constexpr int64_t kQuarters = 8;
constexpr int64_t kPatience = 50;             // iterations in which the residual has to fall by a tenth
constexpr double kLargestShare = 1.0 / 16.0;  // of the parameters' norm, the largest step tried
constexpr double kFirstShare = 1.0 / 1024.0;  // before one is chosen

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double norm(const Vector& a) { return std::sqrt(dot(a, a)); }

double distance(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

void scale(Vector& a, double factor) {
  for (double& value : a) value *= factor;
}

class PowerIteration {
 public:
  PowerIteration(const GradientAt& gradient, const std::vector<float>& parameters, const HessianOptions& options)
      : gradient_(gradient), parameters_(parameters), options_(options) {
    const Vector point(parameters.begin(), parameters.end());
    size_ = std::max(norm(point), 1.0);
    step_ = kFirstShare * size_;
    start();
  }

  HessianTop run() {
    iterate(kWarmup, 0.0);
    choose_step();
    iterate(options_.max_iterations, 0.0);
    if (top_.eigenvalue < 0.0) {
      // Moved up by half of it, the largest eigenvalue has the largest modulus, if it is above 0.
      top_.negative_first = true;
      top_.most_negative = top_.eigenvalue;
      start();
      iterate(options_.max_iterations, -0.5 * top_.most_negative);
    }
    choose_step();
    top_.converged = top_.converged || top_.residual <= top_.product_error;
    top_.step = step_;
    top_.vector = v_;
    return top_;
  }

 private:
  void start() {
    v_.resize(parameters_.size());
    const RandomStream stream{.seed = options_.seed, .purpose = Purpose::initialization, .site = kStartSite};
    for (size_t i = 0; i < v_.size(); ++i) v_[i] = normal(stream, i);
    scale(v_, 1.0 / norm(v_));
  }

  // H v. The parameters are floats, so that the step taken is not quite the one wanted: its part along v is divided by.
  Vector product(double step) {
    std::vector<float> up(parameters_.size()), down(parameters_.size());
    double taken = 0.0;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const double at = parameters_[i];
      up[i] = static_cast<float>(at + step * v_[i]);
      down[i] = static_cast<float>(at - step * v_[i]);
      taken += v_[i] * (double{up[i]} - double{down[i]});
    }
    if (!(taken > 0.0)) fail("a step of {} does not move these parameters", step);
    Vector difference = gradient_(up);
    const Vector other = gradient_(down);
    top_.gradients += 2;
    for (size_t i = 0; i < difference.size(); ++i) difference[i] = (difference[i] - other[i]) / taken;
    return difference;
  }

  // Rayleigh quotient, residual, and whether it is small enough.
  bool measure(const Vector& hv) {
    top_.eigenvalue = dot(v_, hv);
    double squares = 0.0;
    for (size_t i = 0; i < hv.size(); ++i) {
      const double rest = hv[i] - top_.eigenvalue * v_[i];
      squares += rest * rest;
    }
    top_.residual = std::sqrt(squares);
    if (!std::isfinite(top_.residual)) fail("the gradient is not finite near these parameters");
    top_.converged = top_.residual <= options_.tolerance * std::abs(top_.eigenvalue);
    return top_.converged;
  }

  void iterate(int64_t count, double shift) {
    double least = std::numeric_limits<double>::infinity();
    int64_t waited = 0;
    for (int64_t i = 0; i < count; ++i) {
      Vector hv = product(step_);
      ++top_.iterations;
      if (measure(hv)) return;
      ++waited;
      if (top_.residual < 0.9 * least) {
        least = top_.residual;
        waited = 0;
      }
      if (waited == kPatience) return;
      for (size_t k = 0; k < hv.size(); ++k) hv[k] += shift * v_[k];
      const double length = norm(hv);
      if (length == 0.0) return;  // no curvature along v at all
      scale(hv, 1.0 / length);
      v_ = std::move(hv);
    }
  }

  void choose_step() {
    std::vector<double> steps, values;
    std::vector<Vector> products;
    for (int64_t k = 0; k <= kQuarters; ++k) {
      steps.push_back(kLargestShare * size_ * std::exp2(static_cast<double>(-2 * k)));
      products.push_back(product(steps.back()));
      values.push_back(dot(v_, products.back()));
    }
    double least = std::numeric_limits<double>::infinity();
    size_t best = 1;
    for (size_t k = 1; k + 1 < values.size(); ++k) {
      const double apart = std::max(std::abs(values[k] - values[k - 1]), std::abs(values[k] - values[k + 1]));
      if (apart < least) {
        least = apart;
        best = k;
      }
    }
    step_ = steps[best];
    top_.difference_error = least;
    top_.product_error =
        std::max(distance(products[best], products[best - 1]), distance(products[best], products[best + 1]));
    measure(products[best]);
  }

  const GradientAt& gradient_;
  const std::vector<float>& parameters_;
  HessianOptions options_;
  double size_ = 1.0;
  double step_ = 0.0;
  Vector v_;
  HessianTop top_;
};

}  // namespace

HessianTop hessian_top(const GradientAt& gradient, const std::vector<float>& parameters,
                       const HessianOptions& options) {
  if (parameters.empty()) fail("there are no parameters");
  return PowerIteration(gradient, parameters, options).run();
}

HessianTop hessian_top(Transformer& model, const std::vector<Batch>& batches, const HessianOptions& options) {
  if (batches.empty()) fail("there is no batch to measure the loss on");
  const std::vector<float> parameters = model.save_parameters();
  std::vector<float> values(parameters.size());
  const GradientAt gradient = [&](const std::vector<float>& at) {
    model.load_parameters(at);
    Vector sum(at.size());
    int64_t scored = 0;
    for (const Batch& batch : batches) {
      const BatchResult result = model.loss_gradient(batch);
      model.backend().copy_out(values.data(), model.gradients().data(), values.size() * sizeof(float));
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(result.scored) * double{values[i]};
      scored += result.scored;
    }
    scale(sum, 1.0 / static_cast<double>(std::max<int64_t>(1, scored)));
    return sum;
  };
  try {
    HessianTop top = hessian_top(gradient, parameters, options);
    model.load_parameters(parameters);
    return top;
  } catch (...) {
    model.load_parameters(parameters);
    throw;
  }
}

}  // namespace phasor
