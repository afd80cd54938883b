#include "phasor/spectrum/lanczos.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/base/error.h"
#include "phasor/random/philox.h"
#include "phasor/spectrum/lapack.h"

namespace phasor {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& x, const Vector& y) {
  double total = 0.0;
  for (size_t i = 0; i < x.size(); ++i) total += x[i] * y[i];
  return total;
}

void add(Vector& x, double factor, const Vector& y) {
  for (size_t i = 0; i < x.size(); ++i) x[i] += factor * y[i];
}

// Twice is enough (Kahan, Parlett).
void orthogonalise(Vector& x, const std::vector<Vector>& basis) {
  for (int pass = 0; pass < 2; ++pass) {
    for (const Vector& direction : basis) add(x, -dot(x, direction), direction);
  }
}

// A unit vector orthogonal to the basis; empty when the basis spans everything.
Vector new_direction(size_t size, const std::vector<Vector>& basis, uint64_t seed) {
  if (basis.size() >= size) return {};
  const PhiloxKey key = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  const auto draw = static_cast<uint32_t>(basis.size());
  Vector x(size);
  for (size_t i = 0; i < size; ++i) {
    const PhiloxBlock words = philox4x32({static_cast<uint32_t>(i), draw, 0x6c616e63u, 0u}, key);
    // A sum of four uniforms: as good as a normal for a start.
    for (const uint32_t word : {words[0], words[1], words[2], words[3]}) x[i] += word * 0x1p-32 - 0.5;
  }
  orthogonalise(x, basis);
  const double length = norm(x);
  for (double& value : x) value /= length;
  return x;
}

class Bidiagonalisation {
 public:
  Bidiagonalisation(const LinearOperator& a, uint64_t seed) : a_(a), seed_(seed) {
    right_.push_back(new_direction(static_cast<size_t>(a.columns), right_, seed));
  }

  // Another column of the bidiagonal; false when the space is used up.
  bool step() {
    if (next_.empty() && !left_.empty()) return false;
    if (!left_.empty()) right_.push_back(next_);
    Vector u(static_cast<size_t>(a_.rows));
    a_.apply(right_.back(), u);
    if (!left_.empty()) add(u, -beta_.back(), left_.back());
    orthogonalise(u, left_);
    alpha_.push_back(finish(u, left_, static_cast<size_t>(a_.rows)));
    if (u.empty()) return false;  // as many left directions as there are
    left_.push_back(u);
    Vector v(static_cast<size_t>(a_.columns));
    a_.apply_transposed(left_.back(), v);
    add(v, -alpha_.back(), right_.back());
    orthogonalise(v, right_);
    beta_.push_back(finish(v, right_, static_cast<size_t>(a_.columns)));
    next_ = v;
    products_ += 2;
    return true;
  }

  int64_t steps() const { return static_cast<int64_t>(left_.size()); }
  int64_t products() const { return products_; }
  // Upper bidiagonal: alpha on the diagonal, beta above it.
  Dense bidiagonal() const {
    const int64_t size = steps();
    Dense b(size, size);
    for (int64_t i = 0; i < size; ++i) {
      b(i, i) = alpha_[static_cast<size_t>(i)];
      if (i + 1 < size) b(i, i + 1) = beta_[static_cast<size_t>(i)];
    }
    return b;
  }
  double last_beta() const { return beta_.back(); }

 private:
  // Makes x a unit vector and returns its length; where nothing but rounding is left, 0 and a new direction.
  double finish(Vector& x, const std::vector<Vector>& basis, size_t size) {
    const double length = norm(x);
    if (!std::isfinite(length)) fail("Lanczos: the operator returned a vector of length {}", length);
    largest_ = std::max(largest_, length);
    if (length > static_cast<double>(size) * std::numeric_limits<double>::epsilon() * largest_) {
      for (double& value : x) value /= length;
      return length;
    }
    x = new_direction(size, basis, seed_ + 1);
    return 0.0;
  }

  const LinearOperator& a_;
  uint64_t seed_;
  std::vector<Vector> left_, right_;
  Vector next_;
  Vector alpha_, beta_;
  double largest_ = 0.0;
  int64_t products_ = 0;
};

}  // namespace

LanczosResult largest_singular_values(const LinearOperator& given, const LanczosOptions& options) {
  if (given.rows < 1 || given.columns < 1) {
    fail("Lanczos: an operator of {} x {} has no singular values", given.rows, given.columns);
  }
  // With no more columns than rows, as many steps as columns leave nothing over.
  const LinearOperator a = given.columns <= given.rows
                               ? given
                               : LinearOperator{given.columns, given.rows, given.apply_transposed, given.apply};
  if (options.count < 1) fail("Lanczos: {} singular values were asked for", options.count);
  const int64_t wanted = std::min(options.count, a.columns);
  const int64_t limit = std::min(a.columns, std::max(options.max_steps, wanted));
  Bidiagonalisation process(a, options.seed);
  LanczosResult result;
  bool more = true;
  int64_t next_look = wanted;
  while (more) {
    more = process.step() && process.steps() < limit;
    if (more && process.steps() < next_look) continue;
    next_look = process.steps() + std::max<int64_t>(4, process.steps() / 4);
    const SingularVectors small = singular_vectors(process.bidiagonal());
    const int64_t last = process.steps() - 1;
    const double beta = process.steps() == a.columns ? 0.0 : process.last_beta();
    const double largest = small.values.front();
    result.values.clear();
    result.converged = true;
    for (int64_t i = 0; i < std::min(wanted, process.steps()); ++i) {
      LanczosResult::Value value;
      value.value = small.values[static_cast<size_t>(i)];
      value.residual = beta * std::abs(small.left(last, i));
      value.converged = value.residual <= options.tolerance * largest;
      result.converged = result.converged && value.converged;
      result.values.push_back(value);
    }
    if (result.converged && static_cast<int64_t>(result.values.size()) == wanted) break;
  }
  result.converged = result.converged && static_cast<int64_t>(result.values.size()) == wanted;
  result.steps = process.steps();
  result.products = process.products();
  return result;
}

}  // namespace phasor
