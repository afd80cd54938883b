#pragma once
// Reverse-mode differentiation by recording: every operation on a Taped number leaves a node with its local
// derivatives, and one sweep back gives the derivative by every variable. In double it is exact to rounding; in
// float it is what backpropagation in plain fp32 costs in accuracy; with bf16 storage it also rounds wherever a
// model stores an activation or its gradient.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "phasor/tensor/matrix.h"

namespace phasor::testing_support {

template <class T>
struct TapeNode {
  int32_t a = -1, b = -1;  // arguments, -1 for none
  T da = T(0), db = T(0);
  bool narrow = false;  // the gradient is stored in bf16
};

// One tape per scalar type: tests run on one thread.
template <class T>
class Tape {
 public:
  static void clear() { nodes().clear(); }
  static int32_t add(const TapeNode<T>& node) {
    nodes().push_back(node);
    return static_cast<int32_t>(nodes().size()) - 1;
  }

  // The derivative of node `last` by every node.
  static std::vector<T> sweep(int32_t last) {
    std::vector<T> adjoint(nodes().size(), T(0));
    adjoint[static_cast<size_t>(last)] = T(1);
    for (auto n = static_cast<size_t>(last) + 1; n-- > 0;) {
      const TapeNode<T>& node = nodes()[n];
      if (node.narrow) adjoint[n] = static_cast<T>(to_float(to_bfloat16(static_cast<float>(adjoint[n]))));
      if (node.a >= 0) adjoint[static_cast<size_t>(node.a)] += adjoint[n] * node.da;
      if (node.b >= 0) adjoint[static_cast<size_t>(node.b)] += adjoint[n] * node.db;
    }
    return adjoint;
  }

 private:
  static std::vector<TapeNode<T>>& nodes() {
    static std::vector<TapeNode<T>> all;
    return all;
  }
};

template <class T, Dtype kStorage = Dtype::f32>
class Taped {
 public:
  Taped() = default;
  Taped(double constant) : value_(static_cast<T>(constant)) {}  // NOLINT(google-explicit-constructor)
  static Taped variable(double value) { return Taped(static_cast<T>(value), {}); }

  T value() const { return value_; }
  int32_t node() const { return node_; }

  Taped operator-() const { return Taped(-value_, {.a = node_, .da = T(-1)}); }
  friend Taped operator+(const Taped& x, const Taped& y) { return both(x.value_ + y.value_, x, T(1), y, T(1)); }
  friend Taped operator-(const Taped& x, const Taped& y) { return both(x.value_ - y.value_, x, T(1), y, T(-1)); }
  friend Taped operator*(const Taped& x, const Taped& y) { return both(x.value_ * y.value_, x, y.value_, y, x.value_); }
  friend Taped operator/(const Taped& x, const Taped& y) {
    const T quotient = x.value_ / y.value_;
    return both(quotient, x, T(1) / y.value_, y, -quotient / y.value_);
  }
  Taped& operator+=(const Taped& other) { return *this = *this + other; }
  Taped& operator-=(const Taped& other) { return *this = *this - other; }
  Taped& operator*=(const Taped& other) { return *this = *this * other; }

  friend Taped exp(const Taped& x) {
    const T value = std::exp(x.value_);
    return one(value, x, value);
  }
  friend Taped log(const Taped& x) { return one(std::log(x.value_), x, T(1) / x.value_); }
  friend Taped sqrt(const Taped& x) {
    const T root = std::sqrt(x.value_);
    return one(root, x, T(0.5) / root);
  }
  friend Taped sin(const Taped& x) { return one(std::sin(x.value_), x, std::cos(x.value_)); }
  friend Taped cos(const Taped& x) { return one(std::cos(x.value_), x, -std::sin(x.value_)); }
  friend Taped error_function(const Taped& x) {
    const T slope = T(2) * std::numbers::inv_sqrtpi_v<T> * std::exp(-x.value_ * x.value_);
    return one(std::erf(x.value_), x, slope);
  }
  friend Taped softplus(const Taped& x) {
    const T value = std::max(x.value_, T(0)) + std::log1p(std::exp(-std::abs(x.value_)));
    return one(value, x, T(1) / (T(1) + std::exp(-x.value_)));
  }
  friend double value_of(const Taped& x) { return static_cast<double>(x.value_); }

  // A weight is narrowed for products, its gradient is kept wide.
  friend Taped as_weight(const Taped& x) { return kStorage == Dtype::f32 ? x : one(narrowed(x.value_), x, T(1)); }
  // An activation and its gradient are both stored narrow.
  friend Taped as_activation(const Taped& x) {
    return kStorage == Dtype::f32 ? x : Taped(narrowed(x.value_), {.a = x.node_, .da = T(1), .narrow = true});
  }
  // The activation function as its backward pass sees it: the slope is taken at the stored argument.
  template <class Function, class Slope>
  friend Taped activated(const Taped& x, const Function& f, const Slope& slope) {
    if (kStorage == Dtype::f32) return f(x);
    const double stored = static_cast<double>(narrowed(x.value_));
    return Taped(f(Taped(static_cast<double>(x.value_))).value_, {.a = x.node_, .da = static_cast<T>(slope(stored))});
  }
  // Only the gradient is stored narrow.
  friend Taped as_gradient(const Taped& x) {
    return kStorage == Dtype::f32 ? x : Taped(x.value_, {.a = x.node_, .da = T(1), .narrow = true});
  }

 private:
  Taped(T value, const TapeNode<T>& node) : value_(value), node_(Tape<T>::add(node)) {}

  static T narrowed(T value) { return static_cast<T>(to_float(to_bfloat16(static_cast<float>(value)))); }
  static Taped one(T value, const Taped& x, T dx) {
    if (x.node_ < 0) return Taped(static_cast<double>(value));
    return Taped(value, {.a = x.node_, .da = dx});
  }
  static Taped both(T value, const Taped& x, T dx, const Taped& y, T dy) {
    if (x.node_ < 0) return one(value, y, dy);
    return Taped(value, {.a = x.node_, .b = y.node_, .da = dx, .db = dy});
  }

  T value_ = T(0);
  int32_t node_ = -1;  // -1: a constant
};

}  // namespace phasor::testing_support
